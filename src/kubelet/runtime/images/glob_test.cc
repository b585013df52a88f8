#include "kubelet/runtime/images/glob.h"

#include <gtest/gtest.h>

namespace proa::kubelet {
namespace {

TEST(MatchesGlob, AsGoDoes) {
  struct Case {
    std::string_view pattern;
    std::string_view text;
    bool expected;
  };
  for (const Case& c : {Case{"abc", "abc", true},
                        Case{"*", "abc", true},
                        Case{"*c", "abc", true},
                        Case{"a*", "a", true},
                        Case{"a*", "ab/c", false},
                        Case{"a*/b", "a/b", true},
                        Case{"a*b*c*d", "axbxcxd", true},
                        Case{"a*b?c*x", "abxbbxdbxebxczzx", true},
                        Case{"ab[c]", "abc", true},
                        Case{"ab[b-d]", "abc", true},
                        Case{"ab[e-g]", "abc", false},
                        Case{"ab[^c]", "abc", false},
                        Case{"ab[^e-g]", "abc", true},
                        Case{"a\\*b", "a*b", true},
                        Case{"a\\*b", "ab", false},
                        Case{"a?b", "a/b", false},
                        Case{"[", "a", false},
                        Case{"[-]", "-", false},
                        Case{"*x", "xxx", true},
                        Case{"", "", true},
                        Case{"", "a", false}}) {
    SCOPED_TRACE(c.pattern);
    SCOPED_TRACE(c.text);
    EXPECT_EQ(matches_glob(c.pattern, c.text), c.expected);
  }
}

}  // namespace
}  // namespace proa::kubelet
