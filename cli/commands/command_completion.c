/* jounce completion: scripts for bash and zsh, made from the tables of commands, options, laws and solvers. */
#include "cli.h"
#include "description/read/reader.h"
#include <string.h>

/* What may follow an option or stand as an argument. */
typedef enum value_kind {
    VALUE_TEXT,      /* anything: nothing is offered */
    VALUE_METHOD,    /* a contact method */
    VALUE_SOLVER,    /* a solver of the contact problem */
    VALUE_LAW,       /* a section or law of `jounce laws` */
    VALUE_SHELL,     /* bash or zsh */
    VALUE_SCHEMA,    /* whose schema */
    VALUE_DIRECTORY, /* a folder */
    VALUE_MODEL,     /* a model or a contact problem, or a folder of them */
    VALUE_FILE       /* any file */
} value_kind;

static const char *const endings[] = {"yaml", "yml", "json", "urdf", "xml", "sdf", "usda", "hdf5", "h5", NULL};

/* By the option's name, else by the word that stands for the value in the help: DIR, FILE, OUT, S.json. */
static value_kind kind_of_option(const cli_option *option, const char *value) {
    if (!strcmp(option->name, "--method")) return VALUE_METHOD;
    if (!strcmp(option->name, "--solver")) return VALUE_SOLVER;
    if (strstr(value, "DIR")) return VALUE_DIRECTORY;
    return strstr(value, "FILE") || strstr(value, "OUT") || strchr(value, '.') ? VALUE_FILE : VALUE_TEXT;
}

/* By the word after the command's name in its usage. */
static value_kind kind_of_argument(const cli_command *c) {
    const char *word = c->usage + strlen(c->name);
    word += strspn(word, " [");
    size_t length = strcspn(word, " ].");
    if (!c->most) return VALUE_TEXT;
    if (strstr(c->usage, "LAW")) return VALUE_LAW;
    if (strstr(c->usage, "bash|zsh")) return VALUE_SHELL;
    if (!strcmp(c->name, "schema")) return VALUE_SCHEMA;
    if (!strncmp(word, "FILE", length) || !strncmp(word, "PATH", length)) return VALUE_MODEL;
    if (strcspn(word, "M") < length && !strncmp(word + strcspn(word, "M"), "MODEL", 5))
        return VALUE_MODEL; /* DIR|MODEL */
    return !strncmp(word, "DIR", length) ? VALUE_DIRECTORY : VALUE_FILE;
}

static const char *method_word(int index) {
    const jn_field *field = jn_field_find(&jn_run_fields, "method");
    return field ? field->keywords[index].name : NULL;
}

static const char *solver_word(int index) { return jn_solver_get(index) ? jn_solver_get(index)->name : NULL; }

static const char *shell_word(int index) { return index == 0 ? "bash" : index == 1 ? "zsh" : NULL; }

static const char *schema_word(int index) { return index == 0 ? "study" : NULL; }

static const char *(*const words_of[])(int index) = {[VALUE_METHOD] = method_word,
                                                     [VALUE_SOLVER] = solver_word,
                                                     [VALUE_LAW] = cli_laws_word,
                                                     [VALUE_SHELL] = shell_word,
                                                     [VALUE_SCHEMA] = schema_word};

static void print_words(value_kind kind) {
    const char *word;
    for (int i = 0; (word = words_of[kind](i)); i++) printf("%s%s", i ? " " : "", word);
}

/* ----------------------------------------------------------------------------------------------------------- bash */

/* Calls the function of the script that offers such values. */
static void bash_offer(value_kind kind) {
    if (kind >= VALUE_METHOD && kind <= VALUE_SCHEMA)
        printf("_jounce_words \""), print_words(kind), printf("\"");
    else
        fputs(kind == VALUE_DIRECTORY ? "_jounce_folders"
              : kind == VALUE_MODEL   ? "_jounce_models"
              : kind == VALUE_FILE    ? "_jounce_files"
                                      : ":",
              stdout);
}

static void bash_command(const cli_command *c) {
    cli_help_item item;
    char value[48];
    printf("    %s)\n        case $previous in\n", c->name);
    for (const cli_option *o = cli_options(); o->name; o++) {
        if (!(o->bit & c->options) || !o->takes_value) continue;
        cli_help_find(c, o, &item, value);
        printf("        %s%s%s) ", o->brief ? o->brief : "", o->brief ? "|" : "", o->name);
        bash_offer(kind_of_option(o, value));
        printf(" ;;\n");
    }
    printf("        *)\n            case $current in\n            -*) _jounce_words \"");
    for (const cli_option *o = cli_options(); o->name; o++)
        if (o->bit & c->options) printf("%s%s%s ", o->brief ? o->brief : "", o->brief ? " " : "", o->name);
    printf("--help --version\" ;;\n            *) ");
    bash_offer(kind_of_argument(c));
    printf(" ;;\n            esac ;;\n        esac ;;\n");
}

static void bash(void) {
    puts("# Completion of jounce for bash. Made by `jounce completion bash`; do not edit.\n"
         "_jounce_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\"); }\n"
         "_jounce_folders() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- \"$current\"); "
         "}\n"
         "_jounce_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$current\"); }\n"
         "_jounce_models() {\n    local name\n    compopt -o filenames 2>/dev/null\n"
         "    while IFS= read -r name; do\n        if [[ -d $name ]]; then COMPREPLY+=(\"$name\"); continue; fi\n"
         "        case $name in");
    printf("        ");
    for (int i = 0; endings[i]; i++) printf("%s*.%s", i ? "|" : "", endings[i]);
    puts(") COMPREPLY+=(\"$name\") ;;\n        esac\n    done < <(compgen -f -- \"$current\")\n}\n"
         "_jounce() {\n"
         "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
         "    COMPREPLY=()\n"
         "    if [[ $current == = ]]; then current=; elif [[ $previous == = ]]; then "
         "previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
         "    if ((COMP_CWORD == 1)); then");
    printf("        _jounce_words \"");
    for (const cli_command *c = cli_commands; c->name; c++) printf("%s ", c->name);
    puts("help --help --version\"\n        return\n    fi\n    case ${COMP_WORDS[1]} in");
    for (const cli_command *c = cli_commands; c->name; c++) bash_command(c);
    puts("    esac\n}\ncomplete -F _jounce jounce");
}

/* ------------------------------------------------------------------------------------------------------------ zsh */

/* Text within single quotes and brackets: those characters that would end it are marked or left out. */
static void zsh_text(const char *text) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (*text == '[' || *text == ']' || *text == ':' || *text == '\\')
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

static void zsh_action(value_kind kind) {
    if (kind >= VALUE_METHOD && kind <= VALUE_SCHEMA) {
        printf("("), print_words(kind), printf(")");
    } else if (kind == VALUE_MODEL) {
        printf("_files -g \"*.(");
        for (int i = 0; endings[i]; i++) printf("%s%s", i ? "|" : "", endings[i]);
        printf(")\"");
    } else {
        fputs(kind == VALUE_DIRECTORY ? "_files -/" : kind == VALUE_FILE ? "_files" : " ", stdout);
    }
}

static void zsh_option(const cli_command *c, const cli_option *o) {
    cli_help_item item;
    char value[48];
    bool repeats = o->bit == CLI_SET;
    cli_help_find(c, o, &item, value);
    if (o->brief) printf("        '(%s %s)'{%s,%s}'[", o->brief, o->name, o->brief, o->name);
    if (!o->brief) printf("        '%s%s[", repeats ? "*" : "", o->name);
    zsh_text(item.text);
    printf("]");
    if (o->takes_value) {
        printf(":");
        zsh_text(value);
        printf(":");
        zsh_action(kind_of_option(o, value));
    }
    printf("' \\\n");
}

static void zsh(void) {
    puts("#compdef jounce\n# Completion of jounce for zsh. Made by `jounce completion zsh`; do not edit.\n"
         "_jounce() {\n    local -a commands\n    commands=(");
    for (const cli_command *c = cli_commands; c->name; c++) {
        printf("        '%s:", c->name);
        zsh_text(c->summary);
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
         "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in");
    for (const cli_command *c = cli_commands; c->name; c++) {
        printf("    %s)\n        _arguments -S \\\n        '--help[say more about the command]' \\\n", c->name);
        for (const cli_option *o = cli_options(); o->name; o++)
            if (o->bit & c->options) zsh_option(c, o);
        printf("        '*:argument:");
        zsh_action(kind_of_argument(c));
        printf("' ;;\n");
    }
    puts("    esac\n}\nif [[ ${funcstack[1]} == _jounce ]]; then _jounce \"$@\"; else compdef _jounce jounce; fi");
}

int cli_completion(cli_arguments *arguments) {
    if (!arguments->file_count) return cli_complain("write 'jounce completion bash' or zsh", "for which shell?");
    if (!strcmp(arguments->files[0], "bash"))
        bash();
    else if (!strcmp(arguments->files[0], "zsh"))
        zsh();
    else
        return cli_complain("write bash or zsh", "there is no completion for '%s'", arguments->files[0]);
    return CLI_FINE;
}
