"""Texts for custom_cases.py: of formats, good and bad; patterns; paths of columns."""

TEXTS = ["", "a", "abc", "b,c", "10Mi", "1.2.3.4", "http://x/y?z=1", "A-b", "x" * 12, "ä", "äöüß", "k", "2024-02-29", "7", "\"q\"\n"]
PATTERNS = ["^a", "^[a-z]+$", "b|c", "^\\d+$", "", "^.{2,3}$", "(?i)^ABC$", "\\p{L}", "[", "a**", "(?<n>a)", "^\\pN"]

FORMATS = {
    "bsonobjectid": ["507f1f77bcf86cd799439011", "507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g"],
    "uri": ["http://example.com/x", "/path", "*", "path", "mailto:x@y", "http://[::1]:80/", "http://[::1/", "http://a b/", "http://x:port/",
            "http://u:p@h/%zz", "http://u:p@h/%20", ":x", "1http://x", "http://h%41/", "http://h%25/", "http://x/?q=%zz", "", "http://x\x7f", "//h/x", "#f",
            "http://u@v@w/", "http://<x>/", "http://x^y/"],
    "email": ["a@b", "a@b.c", "A B <a@b.c>", "\"q r\"@b.c", "a..b@c", ".a@b", "a@", "@b", "a@b c", "a@[127.0.0.1]", "a@[x]", "a@b (comment)", "<a@b>",
              "x <a@b", "ä@b.c", "a@b,c@d", "g: a@b;", "g:;", "\"\"@b", "a b@c", "(c) a@b", "a@b.", "x (c) <a@b>"],
    "hostname": ["example.com", "a", "-a", "a-", "a_b", "x.y.z", "a.b1", "EX.com", "é.com", "1", "a..b", ("a" * 64) + ".com", "a.", "x.c", ""],
    "ipv4": ["1.2.3.4", "01.2.3.4", "1.2.3", "256.1.1.1", "::ffff:1.2.3.4", "::1", "1.2.3.4.5", ""],
    "ipv6": ["::1", "fe80::1", "::ffff:1.2.3.4", "::ffff:01.2.3.4", "1.2.3.4", "g::1", "fe80::1%eth0", "00001::", ":::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9"],
    "cidr": ["10.0.0.0/8", "10.0.0.1/8", "010.0.0.0/8", "10.0.0.0/33", "::/0", "fe80::/129", "10.0.0.0", "10.0.0.0/08", "/8", "10.0.0.0/-1"],
    "mac": ["01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "01:23:45:67:89", "01:23-45:67:89:ab", "01:23:45:67:89:ab:cd:ef", "0123.4567.89ab.cdef",
            "01:23:45:67:89:ag", "0123:4567:89ab", "01:23:45:67:89:ab:cd"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000", "123e4567-e89b-12d3-a456-42661417400", "x", "123e4567--e89b-12d3-a456-426614174000"],
    "uuid3": ["123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174000"],
    "uuid4": ["123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-c456-426614174000", "123e4567-e89b-32d3-a456-426614174000"],
    "uuid5": ["123e4567-e89b-52d3-9456-426614174000", "123e4567-e89b-52d3-7456-426614174000", "123E4567-E89B-52D3-B456-426614174000"],
    "isbn": ["0321751043", "978-0321751041", "0321751044", "978-0321751042", "080442957X", "0-8044-2957-X"],
    "isbn10": ["0321751043", "0 321 75104 3", "080442957X", "X804429570", "03217510431"],
    "isbn13": ["978-0321751041", "9780321751041", "978-0321751042", "97803217510"],
    "creditcard": ["4111111111111111", "4111-1111-1111-1111", "4111111111111112", "371449635398431", "x", "6011000990139424"],
    "ssn": ["111-11-1111", "111111111", "111 11 1111", "111-11-111", "11111-1-1111"],
    "hexcolor": ["#FFFFFF", "fff", "#ffff", "ggg", "#"],
    "rgbcolor": ["rgb(255,255,255)", "rgb( 0 , 1, 99)", "rgb(256,0,0)", "rgb(1,2)", "RGB(1,2,3)", "rgb(01,2,3)"],
    "byte": ["YWJj", "YQ==", "YWI=", "Y", "", "YW-j", "YWJj\n", "Y===", "===="],
    "password": ["", "x"],
    "date": ["2024-02-29", "2023-02-29", "2024-2-9", "", "2024-02-29T00:00:00Z", "02024-01-01"],
    "duration": ["1h", "90s", "0", "2 days", "soon", "1.5h", "-3m", "10", "5 w", "3 fortnights", "", "1d2h", "99999999999999999999 s"],
    "date-time": ["2024-02-29T12:00:00Z", "2024-02-29t12:00:00z", "2001-01-01T00:00:00.5+02:00", "2024-02-29", "2024-02-29T24:00:00Z", "2024-02-29T12:00:60Z",
                  "2024-02-29T12:00:00", "2024-02-29T12:00:00x5Z", "2024-02-30T12:00:00Z"],
    "datetime": ["2024-02-29T12:00:00Z", "x"],
    "k8s-short-name": ["abc", "a-b", "-a", "A", "a" * 64, "a.b", ""],
    "k8s-long-name": ["abc.def", "a..b", "a" * 70, "A.b", "a.-b", "x" * 254],
}

COLUMNS = [".spec.a", ".spec.name", ".spec", ".status.a", ".status.b.name", ".spec.a[0]", ".spec.a[-1]", ".spec.a[*]", ".spec.a[*].name", ".spec[*].a",
           ".status[?(@.type==\"x\")].status", ".status.a[?(@.name=='x')].b", ".spec.a[0:2]", ".spec.a[::2]", ".spec.a[1,0]", ".spec..name", ".spec['a']",
           ".spec['a','b']", ".spec.x-y", ".spec.a[5]", ".metadata.creationTimestamp", ".metadata.name", ".spec.*", ".spec.a[?(@.b>1)].a", ".status[?(@.a)].b",
           ".spec.a[", ".spec.a[abc]", ".spec.missing", ".", ".spec\\.a", ".spec['x-y']", ".spec.a[?(@.name!=\"y\")]", ".spec.b[0].a", ".spec.a[-2:]", "$.spec.a", "spec.a",
           # Bytes of texts, constants, several actions, ranges.
           ".spec.name.*", ".metadata.name.*", ".spec.*.*", ".spec.a[?(@.*==120)]", ".spec.a[?(@.name.*>=1)].name", ".metadata.name..*", ".spec 5", ".spec 2.5", ".spec true",
           ".spec.a 'text'", ".spec.a}-{.spec.name", ".spec.a}{.spec.b[7]", ".spec.a}text", ".spec.a}{.spec.name}{end", ".spec range .a[*]}{.name}{end",
           ".spec range .a[*]}x{.b}{end}{.status.a", ".spec.a range [*]}{end}{.status.a", ".spec.a range}{.name}{range .b}{.a}{end}{end}{.spec.b", ".spec range .a[*]}{.name",
           ".spec.missing range}{.name}{end}{.spec.name", ".spec end", ".spec range .a[*]}{end}{.spec.b", ".spec other", ".spec.a\\"]
SELECTABLE = [".spec.a", ".spec.name", ".status.b", ".status.a.b", ".spec.b.type"]
