#include "kubelet/pod/environment/variable_file.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

TEST(VariableFile, IsReadStrictly) {
  const std::string at_1 = "! invalid environment variable format at line 1: ";
  const struct {
    const char* text;
    std::string expected;
  } cases[] = {
      {"KEY='value'", "value"},
      {"# KEY='no'\n\n  \t\n  KEY='value' # why\nKEY='later'", "value"},
      {"OTHER='a\nKEY=b'\nKEY='c'\r\n", "c"},
      {"KEY='one\n  two\r\nthree'", "one\n  two\nthree"},
      {"KEY='a\\n$(B)\"#'", "a\\n$(B)\"#"},
      {"KEY=''", ""},
      {"KEY= 'value'", ""},
      {"OTHER= 'value'\nKEY='a'", "a"},
      {"OTHER='a'", ""},
      {"KEY='a'\nbroken", "a"},  // not read any further
      {"broken\nKEY='a'", at_1 + "missing '='"},
      {"='a'", at_1 + "empty variable name"},
      {"KEY ='a'", at_1 + "whitespace before '=' is not allowed"},
      {"KEY=a", at_1 + "value must be enclosed in single quotes"},
      {"KEY=\"a\"", at_1 + "value must be enclosed in single quotes"},
      {"KEY=", at_1 + "value must be enclosed in single quotes"},
      {"KEY='a'b", at_1 + "unexpected content after closing quote"},
      {"KEY='a\nb\n",
       "! invalid environment variable format starting at line 1: unclosed single quote"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<std::string> found = find_in_variable_file(c.text, "KEY");
    EXPECT_EQ(found ? *found : "! " + found.status().message(), c.expected);
  }
}

TEST(VariableFile, TakesNothingButPlainFiles) {
  EXPECT_FALSE(read_variable_file("/tmp", ".").ok());
  EXPECT_FALSE(read_variable_file("/dev", "zero").ok());
  EXPECT_FALSE(read_variable_file("/tmp", std::string("a\0b", 3)).ok());
}

}  // namespace
}  // namespace proa::kubelet
