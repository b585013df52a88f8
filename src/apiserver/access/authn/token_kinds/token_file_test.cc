#include "apiserver/access/authn/token_kinds/token_file.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

UserPtr find(TokenFile& file, std::string_view token) {
  const auto found = file.authenticate(token, {}).value();
  return found ? found->user : nullptr;
}

TEST(TokenFile, NamesUsersAndTheirGroups) {
  auto file = TokenFile::parse(R"(
token1,user1,uid1
token2,user2,uid2

token3,user3,uid3,"group1,group2"
token4,user4,uid4,"group2"
token5,user5,uid5,group5
token6,user6,uid6,group5,otherdata
token7,"user ""7""",uid7,"group1,group2",otherdata
token8,user8,,""
)")
                  .value();
  struct Case {
    std::string_view token, name, uid;
    std::vector<std::string> groups;
  };
  const Case cases[] = {
      {"token1", "user1", "uid1", {}},
      {"token2", "user2", "uid2", {}},
      {"token3", "user3", "uid3", {"group1", "group2"}},
      {"token4", "user4", "uid4", {"group2"}},
      {"token5", "user5", "uid5", {"group5"}},
      {"token6", "user6", "uid6", {"group5"}},
      {"token7", "user \"7\"", "uid7", {"group1", "group2"}},
      {"token8", "user8", "", {}},
  };
  EXPECT_EQ(file->size(), std::size(cases));
  for (const Case& c : cases) {
    SCOPED_TRACE(c.token);
    const UserPtr user = find(*file, c.token);
    ASSERT_NE(user, nullptr);
    EXPECT_EQ(user->name, c.name);
    EXPECT_EQ(user->uid, c.uid);
    EXPECT_EQ(user->groups, c.groups);
  }
  for (const std::string_view token : {"", "token", "token9", "token11", "TOKEN1", "token1\n",
                                       "token1,user1", "user1", "\"token1\""}) {
    EXPECT_EQ(find(*file, token), nullptr) << token;
  }
}

TEST(TokenFile, ReadsLinesOfAnyKind) {
  EXPECT_EQ(TokenFile::parse("").value()->size(), 0u);
  EXPECT_EQ(TokenFile::parse("\n\r\n").value()->size(), 0u);
  EXPECT_EQ(TokenFile::parse(",user5,uid5\n").value()->size(), 0u);
  auto file = TokenFile::parse("a,u,1\r\nb,v,2,\"g\nh\"\r\nb,w,3").value();
  EXPECT_EQ(file->size(), 2u);
  EXPECT_EQ(find(*file, "a")->uid, "1");
  EXPECT_EQ(find(*file, "b")->name, "w");
}

TEST(TokenFile, SaysWhereItIsWrongButNotWhat) {
  struct Case {
    std::string_view text, message;
  };
  const Case cases[] = {
      {"canary,u,1\ncanary,u",
       "token file, line 2: there must be at least 3 columns (token, user name, user uid), found "
       "2"},
      {"\n\ncanary",
       "token file, line 3: there must be at least 3 columns (token, user name, user uid), found "
       "1"},
      {"can\"ary,u,1", "token file, line 1: quote inside an unquoted field"},
      {"\"canary,u,1", "token file, line 1: unterminated quoted field"},
      {"\"canary\"x,u,1", "token file, line 1: unexpected text after a quoted field"},
  };
  for (const Case& c : cases) {
    const auto file = TokenFile::parse(c.text);
    ASSERT_TRUE(file.is(Reason::kInvalid)) << c.text;
    EXPECT_EQ(file.status().message(), c.message);
  }
}

}  // namespace
}  // namespace proa::apiserver
