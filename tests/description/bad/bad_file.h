/* Wrong files: their text, their keys, what they include, and settings. Rows of bad/cases.h. */
/* clang-format off */
    {.name = "empty file",
     .text = "",
     .message = "bad.yaml:1:1: the file is empty (a model has at least 'bodies', 'joints' and 'run')"},
    {.name = "only comments",
     .text = "# nothing\n",
     .message = "bad.yaml:1:1: the file is empty (a model has at least 'bodies', 'joints' and 'run')"},
    {.name = "only blanks",
     .text = "  \n"
     "\n",
     .message = "bad.yaml:1:1: the file is empty (a model has at least 'bodies', 'joints' and 'run')"},
    {.name = "not a map",
     .text = "- 1\n"
     "- 2\n",
     .message = "bad.yaml:1:1: expected a model, with keys such as 'bodies' and 'joints', found a list (write a map: {key: value, ...})"},
    {.name = "a scalar",
     .text = "hello\n",
     .message = "bad.yaml:1:1: expected a model, with keys such as 'bodies' and 'joints', found a value (write a map: {key: value, ...})"},
    {.name = "unclosed list",
     .text = "bodies:\n"
     "  a: {com: [0, 0, 0}\n",
     .message = "bad.yaml:2:20: did not find expected ',' or ']', while parsing a flow sequence"},
    {.name = "unclosed map",
     .text = "bodies: {a: {mass: 1}\n",
     .message = "bad.yaml:2:1: did not find expected ',' or '}', while parsing a flow mapping that begins at line 1"},
    {.name = "tab indentation",
     .text = "bodies:\n"
     "\011a: {mass: 1}\n",
     .message = "bad.yaml:2:1: found character that cannot start any token, while scanning for the next token (indent with spaces, not tabs; put texts with special characters in quotes)"},
    {.name = "colon in text",
     .text = "title: a: b\n",
     .message = "bad.yaml:1:9: mapping values are not allowed in this context (put a text that holds ': ' in quotes)"},
    {.name = "bad indentation",
     .text = "bodies:\n"
     "  a:\n"
     "    mass: 1\n"
     "   com: [0, 0, 0]\n",
     .message = "bad.yaml:4:4: did not find expected key, while parsing a block mapping that begins at line 2 (indent the keys of a section alike; put a text as a whole in quotes)"},
    {.name = "unclosed quote",
     .text = "title: \"abc\n"
     "bodies: {}\n",
     .message = "bad.yaml:3:1: found unexpected end of stream, while scanning a quoted scalar that begins at line 1"},
    {.name = "two documents",
     .text = "title: a\n"
     "---\n"
     "title: b\n",
     .message = "bad.yaml:2:1: a second document begins (keep one model in a file)"},
    {.name = "tag",
     .text = "title: !!python/object:os.system a\n",
     .message = "bad.yaml:1:8: tags such as '!name' have no meaning here (remove it)"},
    {.name = "unknown alias",
     .text = "bodies: {a: *nobody}\n",
     .message = "bad.yaml:1:13: no anchor '&nobody' for this alias"},
    {.name = "alias of itself",
     .text = "bodies: &b {a: *b}\n",
     .message = "bad.yaml:1:16: the alias '*b' stands inside what it names"},
    {.name = "map as a key",
     .text = "{a: 1}: 2\n",
     .message = "bad.yaml:1:1: a key must be a word (write 'key: value')"},
    {.name = "duplicate key",
     .text = "gravity: none\n"
     "title: a\n"
     "gravity: none\n",
     .message = "bad.yaml:3:1: 'gravity' is given twice (the first is at line 1)"},
    {.name = "duplicate body",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 1}\n"
     "  a: {mass: 2}\n",
     .message = "bad.yaml:4:3: 'a' is given twice (the first is at line 2)"},
    {.name = "wrong merge",
     .text = "bodies:\n"
     "  a: {<<: 3, mass: 1}\n",
     .message = "bad.yaml:2:11: '<<' takes a map (write '<<: *NAME' with an anchor '&NAME')"},
    {.name = "NUL byte",
     .text = "title: a\000b\n",
     .message = "bad.yaml:1:9: byte 0x00 does not belong in a text file (a model file is YAML or JSON text)", .length = 11},
    {.name = "control byte",
     .text = "title: a\001b\n",
     .message = "bad.yaml:1:9: byte 0x01 does not belong in a text file (a model file is YAML or JSON text)"},
    {.name = "unknown top key",
     .text = "bodys: {}\n",
     .message = "bad.yaml:1:1: unknown key 'bodys' in the model (write 'bodies')"},
    {.name = "unknown key far from all",
     .text = "title: x\n"
     "qwertyuiop: 1\n",
     .message = "bad.yaml:2:1: unknown key 'qwertyuiop' in the model"},
    {.name = "unknown body key",
     .text = "bodies:\n"
     "  a: {mas: 1}\n",
     .message = "bad.yaml:2:7: unknown key 'mas' in bodies.a (write 'mass')"},
    {.name = "unknown joint key",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: z, stifness: 3}\n",
     .message = "bad.yaml:5:69: unknown key 'stifness' in joints.j (write 'stiffness')"},
    {.name = "unknown run key",
     .text = "run: {untill: 3}\n",
     .message = "bad.yaml:1:7: unknown key 'untill' in run (write 'until')"},
    {.name = "key of another force",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "forces:\n"
     "  f: {type: torque, on: a, at: [0, 0, 0], torque: [0, 0, 1]}\n",
     .message = "bad.yaml:5:28: unknown key 'at' in forces.f (the keys are type, body, from, in, torque)"},
    {.name = "key without value",
     .text = "bodies:\n"
     "  a: {mass: }\n",
     .message = "bad.yaml:2:7: 'mass' has no value (write 'mass: 250 g', or remove the key)"},
    {.name = "missing type",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {between: [ground, a]}\n",
     .message = "bad.yaml:5:6: 'type' is missing in joints.j (add 'type: revolute')"},
    {.name = "missing between",
     .text = "bodies:\n"
     "  a: {mass: 1}\n"
     "  b: {mass: 2}\n"
     "joints:\n"
     "  j: {type: fixed}\n",
     .message = "bad.yaml:5:6: 'between' is missing in joints.j (add 'between: [ground, crank]')"},
    {.name = "overlaps by another word",
     .text = "overlaps: allow\n"
     "bodies:\n"
     "  a: {mass: 1}\n",
     .message = "bad.yaml:1:11: 'allow' is not known here (write one of error, ignore)"},
    {.name = "a robot without a file",
     .text = "robots: {r: {base: free}}\n",
     .message = "bad.yaml:1:13: 'file' is missing in robots.r (add 'file: anymal.urdf')"},
    {.name = "include of a missing file",
     .text = "include: nowhere.yaml\n",
     .message = "bad.yaml:1:10: 'nowhere.yaml' cannot be opened: No such file or directory"},
    {.name = "misspelt setting",
     .text = "parameters: {length: 1}\n",
     .message = "--set lenght:1:1: the model has no parameter 'lenght' (write 'length')", .set = {"lenght", "2"}},
    {.name = "setting of a wrong path",
     .text = "bodies:\n"
     "  a: {mass: 1}\n",
     .message = "--set bodies.b.mass:1:1: nothing in the model is called 'bodies.b.mass': no 'b'", .set = {"bodies.b.mass", "2"}},
    {.name = "setting of a wrong key",
     .text = "bodies:\n"
     "  a: {mass: 1}\n",
     .message = "--set bodies.a.mas:1:1: unknown key 'mas' in bodies.a (write 'mass')", .set = {"bodies.a.mas", "2"}},
    {.name = "setting beyond a list",
     .text = "bodies:\n"
     "  a: {mass: 1, com: [0, 0, 0]}\n",
     .message = "--set bodies.a.com[3]:1:1: 'bodies.a.com[3]' leads beyond the end of a list of 3", .set = {"bodies.a.com[3]", "2"}},
    {.name = "setting with a wrong unit",
     .text = "bodies:\n"
     "  a: {mass: 1}\n",
     .message = "--set bodies.a.mass:1:1: expected a mass such as '250 g' or 0.25 [kg]; found a length (m)", .set = {"bodies.a.mass", "2 mm"}},
    {.name = "empty setting",
     .text = "parameters: {length: 1}\n",
     .message = "--set length:1:1: no value is given for 'length' (write 'length=VALUE')", .set = {"length", ""}},
    {.name = "setting that is no name",
     .text = "parameters: {length: 1}\n",
     .message = "--set a..b:1:1: 'a..b' is not a name (write the name of a parameter, or a path such as 'bodies.rod.mass' or 'joints.pin.at[0]')", .set = {"a..b", "2"}},
/* clang-format on */
