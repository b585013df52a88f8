#include "apiserver/streaming/aggregation/extension_clients.h"

#include <gtest/gtest.h>

#include "testkit/apiserver/connect_cluster.h"

namespace proa::apiserver {
namespace {

using testkit::connect::issue_client;

std::vector<std::string> chain_of(const crypto::CertifiedKey& pair) {
  return {crypto::Certificate::parse(pair.certificate_pem)->der()};
}

TEST(ExtensionClients, KnowTheirOwnCertificates) {
  const crypto::CertifiedKey authority = testkit::connect::make_test_authority();
  const auto issued = [&] { return issue_client(authority, "front-proxy-client", "proxies"); };
  const crypto::CertifiedKey first = issued();
  const crypto::CertifiedKey second = issued();
  testkit::FakeClock clock;
  http::LoopGroup loops(1);
  const auto clients = ExtensionClients::make({.loops = loops, .clock = clock}, first).value();
  EXPECT_TRUE(clients->is_own(chain_of(first)));
  EXPECT_FALSE(clients->is_own(chain_of(second)));
  EXPECT_FALSE(clients->is_own({}));
  // Connections outlive a renewal.
  ASSERT_TRUE(clients->set_certificate(second).ok());
  EXPECT_TRUE(clients->is_own(chain_of(first)));
  EXPECT_TRUE(clients->is_own(chain_of(second)));
  EXPECT_FALSE(clients->is_own(chain_of(issued())));
}

}  // namespace
}  // namespace proa::apiserver
