/* jounce schema: the JSON Schema of the model file. */
#include "base/memory.h"
#include "cli.h"

int cli_schema(cli_arguments *arguments) {
    (void)arguments;
    char *schema = jn_description_schema();
    if (!schema) return cli_complain(NULL, "out of memory");
    fputs(schema, stdout);
    jn_free(schema);
    return CLI_FINE;
}
