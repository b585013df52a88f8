#include "apiserver/access/authn/identity_headers.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

TEST(ReadExtra, DecodesKeysAndGathersTheirValues) {
  http::Headers headers;
  headers.add("X-Remote-Extra-Scopes", "a");
  headers.add("x-remote-extra-example.com%2fEscaped%e1%9b%84scopes", "b");
  headers.add("X-Remote-Extra-scopes", "c");
  headers.add("x-remote-extra-almost%zzpercent%xxencoded", "d");
  headers.add("x-remote-extra-cut%2", "e");
  headers.add("x-remote-extra-cut%", "f");
  headers.add("x-remote-extra-a+b", "");
  headers.add("x-remote-extr", "no");
  headers.add("x-remote-user", "no");
  UserExtra extra;
  read_extra(headers, "x-remote-extra-", extra);
  const UserExtra expected = {
      {"scopes", {"a", "c"}},
      {"example.com/escapedᛄscopes", {"b"}},
      {"almost%zzpercent%xxencoded", {"d"}},
      {"cut%2", {"e"}},
      {"cut%", {"f"}},
      {"a+b", {""}},
  };
  EXPECT_EQ(extra, expected);
}

}  // namespace
}  // namespace proa::apiserver
