/* Numbers as text: as short as possible, and equal to the number when read again. */
#ifndef JN_TRACE_PRINT_NUMBER_H
#define JN_TRACE_PRINT_NUMBER_H

enum { JN_NUMBER_SIZE = 32 };

/* Writes at most JN_NUMBER_SIZE bytes with the final zero and returns the length; nan, inf and -inf by name. */
int jn_number_write(double value, char *buffer);
int jn_whole_write(long long value, char *buffer);
/* The number that the text %.7g of a number stands for. */
double jn_number_round(double x);

#endif
