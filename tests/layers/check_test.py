"""Holds tests/layers/check against small trees: what it finds in them, and what it lets pass."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parent / "check"

COUNTED = [
    "void f();",
    "int f() const { return g() < 1 ? 1'000 : '}'; }",
    "static Result<std::map<int, void()>> f(int a = g(), B b = {});",
    "virtual void f() = 0;",
    "template <class T, class U = std::vector<int>> auto f(T t) -> decltype(t());",
    "[[nodiscard]] bool f() && noexcept(true);",
    "void f() MACRO_OF(mutex_) { if (a) { b(); } }",
    "explicit operator bool() const;",
    "bool operator==(const Name&) const;",
    "void operator()(int);",
    "Name& operator<<(int) { return *this; }",
    "/* { */ void f(); // {",
    'void f() { g("}", R"x(}")x"); }',
    "void f() requires std::same_as<T, U> {}",
]
UNCOUNTED = [
    "Name();",
    "explicit Name(int a) : a_(a), b_{a}, c_(g()), d_{g()} {}",
    "template <class T> Name(T t) : Base<T>{t} { g(); }",
    "~Name();",
    "Name(const Name&) = default;",
    "Name& operator=(const Name&) = delete;",
    "bool operator==(const Name&) const = default;",
    "friend void f();",
    "template <class T> friend bool operator<(const T&, const T&) { return true; }",
    "using F = void (*)(int);",
    "using Base::operator();",
    "MOCK_METHOD(void, f, (), (override));",
    'static_assert(sizeof(int) == 4, "f()");',
    "int a = f();",
    "int a{f()};",
    "A a = f() ? A{0} : A(1);",
    "std::function<void()> f = [] { g(); };",
    "std::function<void(int)> f{g()};",
    "void (*f)(int);",
    "int (Name::*f)() const;",
    "alignas(64) decltype(g()) a MACRO_OF(mutex_);",
    "enum class Kind { kOne = g(), kOther };",
    "struct Nested { void f(); } nested_;",
    "// void f();",
    "#define DECLARE void f();",
]
HEADS = [
    "class Name",
    "struct Name final : public a::Base<int>, Other",
    "union Name",
    "template <class T> class Name<T, std::vector<T>>",
    'class MACRO_OF("it") Name',
    "class MACRO Name",
    "class [[nodiscard]] Name : Base",
    "class Outer::Name",
]


def methods(count):
    return "\n".join(f"  void method_{i}(int a, int b);" for i in range(count))


class CheckTest(unittest.TestCase):
    def found(self, files):
        """Returns what is found in a tree of these files."""
        with tempfile.TemporaryDirectory() as directory:
            for name, text in {"tests/layers/folders.txt": "", **files}.items():
                path = Path(directory) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, CHECK, directory], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, 0 if done.stdout == "layers: kept\n" else 1)
        return [] if done.returncode == 0 else done.stdout.splitlines()

    def test_folders_of_tests_include_one_another_one_way(self):
        one_way = {"tests/a/a.h": '#include "tests/b/b.h"\n', "tests/b/b.h": ""}
        self.assertEqual(self.found(one_way), [])
        self.assertEqual(self.found({**one_way, "tests/b/b.cc": '#include "tests/a/a.h"\n'}),
                         ["tests/a, tests/b: include one another in a circle, or include such folders"])

    def test_header_of_tests_has_at_most_250_lines(self):
        self.assertEqual(self.found({"tests/a/a.h": 250 * "\n"}), [])
        self.assertEqual(self.found({"tests/a/a.h": 251 * "\n", "tests/a/a.cc": 300 * "\n"}),
                         ["tests/a/a.h: 251 lines; a header has at most 250"])

    def test_class_has_at_most_40_methods(self):
        self.assertEqual(self.found({"tests/a.h": f"class Name {{\n{methods(40)}\n}};\n"}), [])
        for name in ("tests/a.h", "tests/a.cc"):
            self.assertEqual(self.found({name: f"class Name {{\n{methods(41)}\n}};\n"}),
                             [f"{name}: class Name has 41 methods; a class has at most 40"])

    def test_what_is_a_class(self):
        files = {f"tests/a{i}.h": f"{head} {{\n{methods(41)}\n}};\n" for i, head in enumerate(HEADS)}
        for line, head in zip(self.found(files), HEADS, strict=True):
            with self.subTest(head=head):
                self.assertRegex(line, "class (Outer::)?Name has 41 methods")

    def test_what_counts(self):
        files = {f"tests/a{i:02}.h": f"class Name {{\n {text}\n public:\n{methods(40)}\n  int last_;\n}};\n"
                 for i, text in enumerate(COUNTED)}
        found = self.found(files)
        for name, text in zip(files, COUNTED):
            with self.subTest(text=text):
                self.assertIn(f"{name}: class Name has 41 methods; a class has at most 40", found)

    def test_verbs_of_a_list_count(self):
        entries = lambda count: " \\\n".join(f"  FORM(verb_{i}, 1, 0)" for i in range(count))
        lists = (f"#define SOME_VERBS(FORM) \\\n{entries(20)}\n\n#define MORE_VERBS(FORM) \\\n{entries(15)}\n\n"
                 "#define ALL_VERBS(FORM) \\\n  SOME_VERBS(FORM)       \\\n  MORE_VERBS(FORM)\n")
        for used, own in (("SOME_VERBS(OVERRIDE)", 20), ("SOME_VERBS(OVERRIDE) MORE_VERBS(OVERRIDE)", 5),
                          ("ALL_VERBS(OVERRIDE)", 5)):
            with self.subTest(used=used):
                files = {"tests/lists.h": lists, "tests/a.h": f"class Name {{\n  {used}\n{methods(own)}\n}};\n"}
                self.assertEqual(self.found(files), [])
                files["tests/a.h"] = f"class Name {{\n  {used}\n{methods(own + 1)}\n}};\n"
                self.assertEqual(self.found(files),
                                 ["tests/a.h: class Name has 41 methods; a class has at most 40"])

    def test_what_does_not_count(self):
        files = {f"tests/a{i:02}.h": f"class Name {{\n{methods(40)}\n  int a_;\n public:\n  {text}\n}};\n"
                 for i, text in enumerate(UNCOUNTED)}
        found = self.found(files)
        for name, text in zip(files, UNCOUNTED):
            with self.subTest(text=text):
                self.assertEqual([line for line in found if line.startswith(name)], [])

    def test_classes_in_classes_and_functions_count_by_themselves(self):
        inner = f"  struct Inner {{\n{methods(41)}\n  }};\n"
        for outer in (f"class Outer {{\n{methods(40)}\n{inner}}};\n", f"TEST(A, B) {{\n{inner}}}\n"):
            self.assertEqual(self.found({"tests/a.cc": outer}),
                             ["tests/a.cc: class Inner has 41 methods; a class has at most 40"])

    def test_class_that_cannot_be_read(self):
        text = "class Name {\n#if A\n  void f() {\n#else\n  void f() {\n#endif\n  }\n};\n"
        self.assertEqual(self.found({"tests/a.h": text}), ["tests/a.h: the brackets of a class do not match"])


if __name__ == "__main__":
    unittest.main()
