#include "apiserver/streaming/aggregation/identity_fields.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

TEST(SetIdentity, ReplacesWhatTheClientClaims) {
  http::Headers headers = {{"x-remote-user", "root"},
                           {"x-remote-group", "system:masters"},
                           {"x-remote-uid", "0"},
                           {"x-remote-extra-scopes", "all"},
                           {"accept", "application/json"}};
  set_identity(headers, {.name = "jane",
                         .uid = "42",
                         .groups = {"a", "b"},
                         .extra = {{"example.org/foo%1", {"x", "y"}}}});
  EXPECT_EQ(headers.all("x-remote-user"), std::vector<std::string_view>{"jane"});
  EXPECT_EQ(headers.get("x-remote-uid"), "42");
  EXPECT_EQ(headers.all("x-remote-group"), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_FALSE(headers.has("x-remote-extra-scopes"));
  EXPECT_EQ(headers.all("x-remote-extra-example.org%2ffoo%251"),
            (std::vector<std::string_view>{"x", "y"}));
  EXPECT_EQ(headers.get("accept"), "application/json");
  // Somebody without a uid or groups gets nobody else's.
  set_identity(headers, {.name = "joe", .uid = {}, .groups = {}, .extra = {}});
  EXPECT_FALSE(headers.has("x-remote-uid"));
  EXPECT_FALSE(headers.has("x-remote-group"));
}

TEST(CanBeNamed, RefusesWhatWouldBeSomebodyElse) {
  const auto named = [](std::string name, std::string group, std::string extra) {
    return can_be_named({.name = std::move(name),
                         .uid = {},
                         .groups = {"a", std::move(group)},
                         .extra = {{"k", {std::move(extra)}}}});
  };
  EXPECT_TRUE(named("jane doe", "", "x"));
  EXPECT_FALSE(named(" admin", "b", "x"));
  EXPECT_FALSE(named("jane", "system:masters ", "x"));
  EXPECT_FALSE(named("jane", "\tb", "x"));
  EXPECT_FALSE(named("jane", "b\r\nx-remote-group: c", "x"));
  EXPECT_FALSE(named("jane", "b", "x\n"));
}

TEST(RemoveForeignClaims, KeepsTheAnswer) {
  http::Headers headers = {
      {"content-type", "application/json"}, {"set-cookie", "a=b"},     {"alt-svc", "h2=\":443\""},
      {"access-control-allow-origin", "*"}, {"x-remote-user", "root"}, {"impersonate-user", "root"},
      {"warning", "299 - \"old\""}};
  remove_foreign_claims(headers);
  EXPECT_EQ(headers.size(), 2U);
  EXPECT_TRUE(headers.has("content-type"));
  EXPECT_TRUE(headers.has("warning"));
}

}  // namespace
}  // namespace proa::apiserver
