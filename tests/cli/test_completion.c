/* Manual page and completion say what the command itself says: every command, every option, every law. */
#define _GNU_SOURCE 1
#include "command.h"
#include <jounce/reaction.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 32 }; /* letters of a name */

/* Runs a line of shell in the test's folder with $JOUNCE, and keeps its output and errors. */
static int shell(const char *line) {
    size_t used = 0, n;
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    while (used < sizeof out - 1 && (n = fread(out + used, 1, sizeof out - 1 - used, pipe))) used += n;
    out[used] = 0;
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int prepare(void **state) {
    (void)state;
    setenv("JOUNCE", JN_CLI, 1);
    return command_enter() || shell("touch a.yaml b.txt c.hdf5; mkdir results; printf '' >s.json");
}

static bool has_bash(void) { return !shell("command -v bash"); }

/* Names of the commands, from the help. */
static int commands(char names[][MOST], int most) {
    int count = 0;
    assert_int_equal(shell("\"$JOUNCE\" --help"), 0);
    for (char *line = strtok(out, "\n"); line && count < most; line = strtok(NULL, "\n"))
        if (!strncmp(line, "  ", 2) && line[2] != ' ' && strncmp(line, "  jounce", 8))
            sscanf(line, " %31s", names[count++]);
    return count;
}

/* What bash offers at the end of the line. */
static void complete(const char *line) {
    char script[2048];
    snprintf(script, sizeof script,
             "bash --norc -c 'eval \"$(\"$JOUNCE\" completion bash)\"; IFS=\" \" read -ra COMP_WORDS <<<\"%s\"; "
             "[[ \"%s\" == *\" \" ]] && COMP_WORDS+=(\"\"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _jounce; "
             "printf \"<%%s>\" \"${COMPREPLY[@]}\"' 2>&1",
             line, line);
    assert_int_equal(shell(script), 0);
}

static void offers(const char *line, const char *const *wanted, const char *const *unwanted) {
    char word[80];
    complete(line);
    for (int i = 0; wanted && wanted[i]; i++) {
        snprintf(word, sizeof word, "<%.70s>", wanted[i]);
        if (!strstr(out, word)) fail_msg("'%s' does not offer %s but %s", line, wanted[i], out);
    }
    for (int i = 0; unwanted && unwanted[i]; i++) {
        snprintf(word, sizeof word, "<%.70s>", unwanted[i]);
        if (strstr(out, word)) fail_msg("'%s' offers %s: %s", line, unwanted[i], out);
    }
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_bash(void **state) {
    (void)state;
    if (!has_bash()) {
        print_message("skipped: no bash\n");
        return;
    }
    static char names[64][MOST];
    int count = commands(names, 64);
    assert_true(count >= 10);
    for (int i = 0; i < count; i++) offers("jounce ", LIST(names[i]), NULL);
    offers("jounce r", LIST("run"), LIST("check"));
    offers("jounce run ", LIST("a.yaml", "results"), LIST("b.txt"));
    offers("jounce run --", LIST("--out", "--set", "--method", "--quiet", "--help"), LIST("--state"));
    offers("jounce run a.yaml --method ", LIST("smooth", "compliant", "nonsmooth", "impact"), LIST("a.yaml"));
    offers("jounce run a.yaml --method = non", LIST("nonsmooth"), LIST("smooth"));
    offers("jounce run a.yaml -o ", LIST("results"), LIST("a.yaml"));
    offers("jounce eval a.yaml --state ", LIST("s.json"), NULL);
    offers("jounce laws hu", LIST("hunt_crossley", "hu_guo"), LIST("lugre"));
    offers("jounce laws ", LIST("normal", "friction", "flores", "brown_mcphee", "lugre"), LIST("a.yaml"));
    offers("jounce solve ", LIST("c.hdf5"), NULL);
    offers("jounce solve c.hdf5 --solver ", LIST("gauss_seidel"), LIST("c.hdf5"));
    offers("jounce completion ", LIST("bash", "zsh"), LIST("a.yaml"));
    offers("jounce schema ", LIST("study"), LIST("a.yaml"));
    offers("jounce study ", LIST("a.yaml"), LIST("b.txt"));
}

static void test_bash_offers_every_law(void **state) {
    (void)state;
    if (!has_bash()) return;
    for (int i = 0; jn_normal_get_info(i); i++)
        offers("jounce laws ", LIST(jn_normal_get_info(i)->name), NULL);
    for (int i = 0; jn_friction_get_info(i); i++)
        offers("jounce laws ", LIST(jn_friction_get_info(i)->name), NULL);
    for (int i = 0; jn_solver_get(i); i++) offers("jounce solve --solver ", LIST(jn_solver_get(i)->name), NULL);
}

static void test_zsh(void **state) {
    (void)state;
    assert_int_equal(shell("\"$JOUNCE\" completion zsh >_jounce && grep -q '^#compdef jounce' _jounce"), 0);
    if (shell("command -v zsh")) {
        print_message("skipped: no zsh\n");
        return;
    }
    if (shell("zsh -n _jounce 2>&1")) fail_msg("zsh: %s", out);
    if (shell(
            "zsh -fc 'autoload -Uz compinit && compinit -u -d ./dump && source ./_jounce && print $_comps[jounce]'") ||
        !strstr(out, "_jounce"))
        fail_msg("zsh does not load the completion: %s", out);
}

static void test_wrong_shell(void **state) {
    (void)state;
    assert_int_equal(shell("\"$JOUNCE\" completion fish 2>&1"), 2);
    assert_non_null(strstr(out, "write bash or zsh"));
    assert_int_equal(shell("\"$JOUNCE\" completion 2>&1"), 2);
}

/* The options of all commands, as completion has them: every word that starts with two dashes. */
static int all_options(char names[][MOST], int most) {
    int count = 0;
    assert_int_equal(shell("\"$JOUNCE\" completion bash | grep -o -e '--[a-z-]*[a-z]' | sort -u"), 0);
    for (char *line = strtok(out, "\n"); line && count < most; line = strtok(NULL, "\n"))
        if (strcmp(line, "--help") && strcmp(line, "--version") && strcmp(line, "--norc"))
            snprintf(names[count++], MOST, "%s", line);
    return count;
}

/* Every option that a command accepts stands in its help and in the manual, and no help expectations one that is refused. */
static void test_help_is_complete(void **state) {
    (void)state;
    static char names[64][MOST], options[128][MOST], manual[sizeof out];
    char line[256];
    int count = commands(names, 64), option_count = all_options(options, 128);
    assert_true(option_count > 10);
    assert_int_equal(shell("\"$JOUNCE\" manual"), 0);
    for (char *from = out, *to = manual; (*to = *from); from++)
        if (*from != '\\' || from[1] != '-') to++;
    for (int c = 0; c < count; c++) {
        snprintf(line, sizeof line, "\n.SS %.31s\n", names[c]);
        if (!strstr(manual, line)) fail_msg("the manual lacks the command %s", names[c]);
        for (int o = 0; o < option_count; o++) {
            snprintf(line, sizeof line, "\"$JOUNCE\" %.31s %.31s=x --no-such-option 2>&1", names[c], options[o]);
            assert_int_equal(shell(line), 2); /* nothing runs */
            snprintf(line, sizeof line, "has no option '%.31s'", options[o]);
            bool accepted = !strstr(out, line);
            snprintf(line, sizeof line, "\"$JOUNCE\" %.31s --help", names[c]);
            assert_int_equal(shell(line), 0);
            bool said = !strcmp(options[o], "--out") && strstr(out, "-o ");
            snprintf(line, sizeof line, "  %.31s ", options[o]);
            said = said || strstr(out, line);
            snprintf(line, sizeof line, ", %.31s ", options[o]); /* "  --from T, --to T   part of the time" */
            if (accepted != (said || strstr(out, line)))
                fail_msg("jounce %s %s %s", names[c], accepted ? "does not explain its option" : "explains but refuses",
                         options[o]);
            if (accepted && !strstr(manual, options[o])) fail_msg("the manual lacks %s", options[o]);
        }
    }
}

/* docs/cli.md has every command, and every option somewhere. */
static void test_page_is_complete(void **state) {
    (void)state;
    static char names[64][MOST], options[128][MOST], page[200000];
    char word[64];
    int count = commands(names, 64), option_count = all_options(options, 128);
    FILE *file = fopen(JN_SOURCE_DIR "/docs/cli.md", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = 0;
    fclose(file);
    for (int i = 0; i < count; i++) {
        snprintf(word, sizeof word, "    jounce %.31s", names[i]);
        if (!strstr(page, word)) fail_msg("docs/cli.md lacks the usage of jounce %s", names[i]);
    }
    for (int i = 0; i < option_count; i++)
        if (strcmp(options[i], "--out") && !strstr(page, options[i])) fail_msg("docs/cli.md lacks %s", options[i]);
}

static void test_manual_is_roff(void **state) {
    (void)state;
    assert_int_equal(shell("\"$JOUNCE\" manual >jounce.1"), 0);
    if (shell("command -v mandoc")) {
        print_message("skipped: no mandoc\n");
        return;
    }
    shell("mandoc -T lint -W warning jounce.1");
    if (strstr(out, "ERROR") || strstr(out, "UNSUPP")) fail_msg("%s", out);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bash),
                                       cmocka_unit_test(test_bash_offers_every_law),
                                       cmocka_unit_test(test_zsh),
                                       cmocka_unit_test(test_wrong_shell),
                                       cmocka_unit_test(test_help_is_complete),
                                       cmocka_unit_test(test_page_is_complete),
                                       cmocka_unit_test(test_manual_is_roff)};
    return cmocka_run_group_tests(tests, prepare, command_teardown);
}
