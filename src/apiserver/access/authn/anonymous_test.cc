#include "apiserver/access/authn/anonymous.h"

#include <gtest/gtest.h>

namespace proa::apiserver {
namespace {

bool is_open(const AnonymousOptions& options, std::string_view path) {
  const http::Peer peer{};
  const http::Headers headers;
  Anonymous anonymous(options);
  const UserPtr user = anonymous.authenticate({peer, headers, path}).value();
  if (user == nullptr) return false;
  EXPECT_EQ(user->name, "system:anonymous");
  EXPECT_EQ(user->groups, std::vector<std::string>{"system:unauthenticated"});
  EXPECT_TRUE(user->extra.empty() && user->uid.empty());
  return true;
}

TEST(Anonymous, SeesOnlyHealthAndVersionWithoutBeingTold) {
  for (const std::string_view path : {"/livez", "/readyz", "/healthz", "/version", "/livez/ping",
                                      "/readyz/poststarthook/rbac", "/healthz/"}) {
    EXPECT_TRUE(is_open({}, path)) << path;
  }
  for (const std::string_view path :
       {"/", "", "/api", "/api/v1/secrets", "/metrics", "/version/", "/version/x", "/livezz",
        "/livez/../api/v1/secrets", "/livez/./..", "/livez/..", "/livez/%2e%2e/api", "/livez/a\\..",
        "livez", "//livez", "/LIVEZ", "/apis/livez"}) {
    EXPECT_FALSE(is_open({}, path)) << path;
  }
}

TEST(Anonymous, IsConfigured) {
  const AnonymousOptions nowhere{.scope = AnonymousScope::kNowhere};
  EXPECT_FALSE(is_open(nowhere, "/livez"));
  const AnonymousOptions everywhere{.scope = AnonymousScope::kEverywhere};
  EXPECT_TRUE(is_open(everywhere, "/api/v1/secrets"));
  const AnonymousOptions paths{.scope = AnonymousScope::kPaths, .paths = {"/livez", "/api"}};
  EXPECT_TRUE(is_open(paths, "/livez"));
  EXPECT_TRUE(is_open(paths, "/api"));
  EXPECT_FALSE(is_open(paths, "/livez/ping"));
  EXPECT_FALSE(is_open(paths, "/readyz"));
  EXPECT_FALSE(is_open({.scope = AnonymousScope::kPaths}, "/"));
}

}  // namespace
}  // namespace proa::apiserver
