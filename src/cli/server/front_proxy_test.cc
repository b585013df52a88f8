#include "cli/server/front_proxy.h"

#include <gtest/gtest.h>

namespace proa::cli {
namespace {

using Names = std::vector<std::string>;

TEST(FrontProxyOfServer, IsTrustedBesidesThoseOfFlags) {
  Certificates certificates;
  certificates.front_proxy_authority_pem = "OURS\n";
  apiserver::AuthenticationOptions alone;
  trust_own_proxy(alone, certificates);
  EXPECT_EQ(alone.front_proxy->authorities_pem, "OURS\n");
  EXPECT_EQ(alone.front_proxy->allowed_names, Names{"front-proxy-client"});
  EXPECT_EQ(alone.front_proxy->user_headers, Names{"x-remote-user"});

  apiserver::AuthenticationOptions named;
  named.client_authorities_pem = "CLIENTS\n";
  named.front_proxy.emplace();
  named.front_proxy->authorities_pem = "THEIRS";
  named.front_proxy->allowed_names = {"gateway"};
  trust_own_proxy(named, certificates);
  EXPECT_EQ(named.front_proxy->authorities_pem, "THEIRS\nOURS\n");
  EXPECT_EQ(named.front_proxy->allowed_names, (Names{"gateway", "front-proxy-client"}));
  EXPECT_EQ(client_authorities_of(named), "CLIENTS\nTHEIRS\nOURS\n");

  // No names mean any name.
  apiserver::AuthenticationOptions any;
  any.front_proxy.emplace();
  trust_own_proxy(any, certificates);
  EXPECT_TRUE(any.front_proxy->allowed_names.empty());
}

}  // namespace
}  // namespace proa::cli
