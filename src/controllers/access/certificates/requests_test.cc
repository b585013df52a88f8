#include "controllers/access/certificates/requests.h"
#include "json/parse.h"

#include <gtest/gtest.h>

#include "api/object/view.h"
#include "base/encoding.h"
#include "client/certificates/test_request.h"
#include "crypto/client_verifier.h"
#include "testkit/controllers/test_world.h"
#include "testkit/crypto/test_request.h"

namespace proa::controllers {
namespace {

class RequestsTest : public testing::Test {
 protected:
  void ask(const std::string& signer, const std::string& pem) {
    world_.create("certificates.k8s.io", "certificatesigningrequests", "",
                  R"({"metadata":{"name":"one"},"spec":{"request":")" + to_base64(pem) +
                      R"(","signerName":")" + signer + R"(","usages":["client auth"]}})");
  }
  void approve() {
    client::Place place =
        world_.place("certificates.k8s.io", "certificatesigningrequests", "", "one");
    place.subresource = "approval";
    ASSERT_TRUE(
        world_.client()
            .patch(place, api::PatchType::kMerge,
                   json::parse_literal(
                       R"({"status":{"conditions":[{"type":"Approved","status":"True"}]}})"),
                   {}, {})
            .ok());
  }
  json::Document now() {
    return world_.get("certificates.k8s.io", "certificatesigningrequests", "", "one")
        ->document()
        .value();
  }

  testkit::TestWorld world_;
};

TEST_F(RequestsTest, ApprovedOnesAreSigned) {
  ask("kubernetes.io/kube-apiserver-client",
      crypto::TestRequest{.subject = {{"O", "devs"}, {"CN", "jane"}}}.pem());
  world_.settle();
  EXPECT_FALSE(api::View(now().root())["status"]["certificate"].exists());
  approve();
  world_.settle();
  const json::Document signed_one = now();
  const std::string certificate =
      from_base64(api::View(signed_one.root())["status"]["certificate"].text()).value_or("");
  EXPECT_TRUE(certificate.starts_with("-----BEGIN CERTIFICATE-----"));
}

TEST_F(RequestsTest, ThoseOfOtherSignersAreLeftAlone) {
  ask("example.com/other", crypto::TestRequest{.subject = {{"CN", "jane"}}}.pem());
  approve();
  world_.settle();
  EXPECT_FALSE(api::View(now().root())["status"]["certificate"].exists());
}

TEST_F(RequestsTest, WhatNoSignerMaySignFails) {
  ask("kubernetes.io/kube-apiserver-client-kubelet",
      crypto::TestRequest{.subject = {{"CN", "jane"}}}.pem());
  approve();
  world_.settle();
  const json::Document failed = now();
  const api::View conditions = api::View(failed.root())["status"]["conditions"];
  ASSERT_EQ(conditions.size(), 2u);
  EXPECT_EQ(conditions.item(1)["type"].text(), "Failed");
  EXPECT_EQ(conditions.item(1)["reason"].text(), "SignerValidationFailure");
}

}  // namespace
}  // namespace proa::controllers
