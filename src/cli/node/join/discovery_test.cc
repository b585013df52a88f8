#include "cli/node/join/discovery.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "cli/credentials/certificates.h"
#include "controllers/access/bootstrap_tokens.h"
#include "http/net/loop.h"
#include "http/server/certificate_files.h"
#include "http/server/server.h"
#include "json/print.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

const std::string kHash(64, 'a');

TEST(ParseJoinToken, TakesBothForms) {
  const std::string secret(32, '0');
  const auto whole = parse_join_token("proa1.abcdef." + secret + "." + kHash, "");
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->authority_hash, kHash);
  EXPECT_TRUE(parse_join_token("proa1.abcdef." + secret + "." + kHash, "sha256:" + kHash).ok());
  const auto kubeadms = parse_join_token("abcdef.0123456789abcdef", "sha256:" + kHash);
  ASSERT_TRUE(kubeadms.ok());
  EXPECT_EQ(kubeadms->bearer(), "abcdef.0123456789abcdef");
  EXPECT_EQ(kubeadms->authority_hash, kHash);
}

TEST(ParseJoinToken, WithoutAHashNobodyIsTrusted) {
  const std::string secret(32, '0');
  EXPECT_FALSE(parse_join_token("abcdef.0123456789abcdef", "").ok());
  EXPECT_FALSE(parse_join_token("abcdef.0123456789abcdef", "sha256:abc").ok());
  EXPECT_FALSE(parse_join_token("abcdef", kHash).ok());
  EXPECT_FALSE(parse_join_token("proa1.abcdef." + secret + "." + kHash, std::string(64, 'b')).ok());
}

// A server with certificates as `proa server` makes them.
class DiscoveryTest : public testing::Test, private http::Handler {
 protected:
  DiscoveryTest() : server_(loops_, *this, {}) {
    const std::string names[] = {"127.0.0.1"};
    certificates_ = ensure_certificates(files_, clock_, folder_.path(), names).value();
    token_.id = "abcdef";
    token_.secret = std::string(32, '0');
    token_.authority_hash = public_key_hash(certificates_.authority_pem).value();
  }

  std::string listen() {
    tls_ =
        http::CertificateFiles::open(
            loops_.at(0), files_, {certificates_.server_certificate, certificates_.server_key}, {})
            .value();
    const auto where = server_.listen({.address = "127.0.0.1", .port = 0}, &tls_->source());
    return "https://" + where.value().str();
  }

  std::string cluster_info(const std::string& authority_pem, const std::string& secret) {
    const std::string kubeconfig =
        "apiVersion: v1\nkind: Config\nclusters:\n- name: \"\"\n  cluster:\n"
        "    server: https://127.0.0.1:1\n    certificate-authority-data: " +
        to_base64(authority_pem) + "\ncontexts: null\ncurrent-context: \"\"\nusers: null\n";
    std::string text = R"({"data":{"kubeconfig":)";
    json::print_string_to(text, kubeconfig);
    text += R"(,"jws-kubeconfig-abcdef":")";
    text += controllers::detached_signature(kubeconfig, {"abcdef", secret});
    return text + "\"}}";
  }

  void handle(http::ExchangePtr exchange) override {
    http::Response answer;
    answer.status = 404;
    exchange->respond(std::move(answer));
  }

  testkit::TempDir folder_;
  SystemFiles files_;
  SystemClock clock_;
  Certificates certificates_;
  JoinToken token_;
  http::LoopGroup loops_{1};
  std::unique_ptr<http::CertificateFiles> tls_;
  http::Server server_;
};

TEST_F(DiscoveryTest, TheAuthorityIsKnownByItsHash) {
  const auto found = discover_authority(listen(), token_, clock_, std::chrono::seconds(10));
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(public_key_hash(*found).value(), token_.authority_hash);
}

TEST_F(DiscoveryTest, AServerOfAnotherClusterIsRefused) {
  token_.authority_hash = kHash;
  const auto found = discover_authority(listen(), token_, clock_, std::chrono::seconds(10));
  EXPECT_TRUE(found.is(Reason::kForbidden));
}

TEST_F(DiscoveryTest, ACertificateForOtherNamesComesWithAdvice) {
  std::string server = listen();
  server.replace(server.find("127.0.0.1"), 9, "localhost");
  const auto found = discover_authority(server, token_, clock_, std::chrono::seconds(10));
  ASSERT_TRUE(found.is(Reason::kForbidden));
  EXPECT_EQ(found.status().message(),
            "the server's certificate is not valid for localhost, but for 127.0.0.1; restart the "
            "server with --tls-san localhost, or use one of these names in --server");
}

TEST_F(DiscoveryTest, ClusterInfoCountsWhenTheTokenSignedIt) {
  const auto good =
      authority_in_cluster_info(cluster_info(certificates_.authority_pem, token_.secret), token_);
  ASSERT_TRUE(good.ok()) << good.status().message();
  EXPECT_EQ(*good, certificates_.authority_pem);
  EXPECT_TRUE(authority_in_cluster_info(
                  cluster_info(certificates_.authority_pem, std::string(32, '1')), token_)
                  .is(Reason::kForbidden));
  EXPECT_TRUE(authority_in_cluster_info(R"({"data":{}})", token_).is(Reason::kForbidden));
  token_.authority_hash = kHash;
  EXPECT_TRUE(
      authority_in_cluster_info(cluster_info(certificates_.authority_pem, token_.secret), token_)
          .is(Reason::kForbidden));
}

}  // namespace
}  // namespace proa::cli
