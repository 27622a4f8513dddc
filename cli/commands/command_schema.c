/* jounce schema: the JSON Schema of the model file, or of study files. */
#include "base/memory.h"
#include "cli.h"
#include <string.h>

int cli_schema(cli_arguments *arguments) {
    bool study = arguments->file_count == 1 && !strcmp(arguments->files[0], "study");
    if (arguments->file_count == 1 && !study)
        return cli_complain("write 'jounce schema' or 'jounce schema study'", "there is no schema '%s'",
                            arguments->files[0]);
    char *schema = study ? jn_study_schema() : jn_description_schema();
    if (!schema) return cli_complain(NULL, "out of memory");
    fputs(schema, stdout);
    jn_free(schema);
    return CLI_FINE;
}
