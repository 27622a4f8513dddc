/* Tables of numbers in text files, for tests. */
#ifndef JN_TESTS_NUMBER_TABLE_H
#define JN_TESTS_NUMBER_TABLE_H

typedef struct table {
    int rows, columns;
    double *data; /* (rows x columns), row major */
} table;

/* Reads columns of numbers between commas, blanks or tabs. Lines that do not begin with a number are left out; all
 * others must have as many columns as the first, but for a first line "rows columns". A name that ends in .gz is read through
 * gzip. data is NULL if there is no such file or it is no table. */
table table_read(const char *path);
void table_free(table *t);
double table_at(const table *t, int row, int column);

#endif
