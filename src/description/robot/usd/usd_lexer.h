/* Words of a .usda file, each with its line and column. */
#ifndef JN_DESCRIPTION_ROBOT_USD_USD_LEXER_H
#define JN_DESCRIPTION_ROBOT_USD_USD_LEXER_H

#include "description/read/reader.h"

typedef enum jn_usd_token {
    JN_USD_END,
    JN_USD_WORD,   /* a name, with ':' and '.' in it */
    JN_USD_STRING, /* without its quotes */
    JN_USD_NUMBER,
    JN_USD_ASSET, /* @...@ */
    JN_USD_PATH,  /* <...> */
    JN_USD_SIGN   /* one of ( ) [ ] { } = , ; : & */
} jn_usd_token;

typedef struct jn_usd_lexer {
    jn_reader *r;
    const char *file, *at, *end;
    int line, column;
    jn_usd_token kind; /* of the word that is next */
    jn_where where;
    const char *text; /* of the word; a string is not yet freed of escapes */
    size_t length;
    double number;
} jn_usd_lexer;

/* Reads the next word; false with a message if there is none. */
bool jn_usd_next(jn_usd_lexer *x);
bool jn_usd_sign(const jn_usd_lexer *x, char sign);
bool jn_usd_word(const jn_usd_lexer *x, const char *word);
/* Takes the sign, or says what was expected: what is written in its place, and what to write. */
bool jn_usd_take(jn_usd_lexer *x, char sign, const char *what);
/* "expected ..., found ..."; returns false. */
bool jn_usd_expected(jn_usd_lexer *x, const char *what, const char *advice);
/* The word as a text in the scratch memory, escapes of a string resolved; NULL: no memory. */
char *jn_usd_text(jn_usd_lexer *x);

#endif
