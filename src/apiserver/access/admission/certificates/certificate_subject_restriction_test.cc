#include "apiserver/access/admission/certificates/certificate_subject_restriction.h"

#include <gtest/gtest.h>

#include "apiserver/access/admission/cluster/plugin_case.h"
#include "client/certificates/test_request.h"
#include "testkit/crypto/test_request.h"

namespace proa::apiserver {
namespace {

constexpr const char* kClient = "kubernetes.io/kube-apiserver-client";

std::string request_for(const std::string& group) {
  return crypto::TestRequest{.subject = {{"O", "harmless"}, {"O", group}}, .key = "Ed25519"}.pem();
}

struct Case {
  const char* name;
  const char* signer;
  std::string pem;
  const char* expected;
};

TEST(CertificateSubjectRestriction, KeepsTheMastersOut) {
  const Case cases[] = {
      {"some other signer", "kubernetes.io/kube-apiserver-client-kubelet",
       request_for("system:masters"), ""},
      {"no request", kClient, "this is not a CSR",
       "failed to parse CSR: PEM block type must be CERTIFICATE REQUEST"},
      {"some other group", kClient, request_for("system:admin"), ""},
      {"the masters", kClient, request_for("system:masters"),
       "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not "
       "allowed"},
  };
  PluginWorld world;
  const auto plugin = make_certificate_subject_restriction(world.context()).value();
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const client::TestRequestObject object{.signer = c.signer, .usages = {}, .pem = c.pem};
    const std::string yaml = json::print(object.document().root());
    PluginCase made(Operation::kCreate, "certificates.k8s.io", "certificatesigningrequests");
    const std::string expected =
        *c.expected == '\0'
            ? ""
            : "certificatesigningrequests.certificates.k8s.io \"mine\" is forbidden: " +
                  std::string(c.expected);
    EXPECT_EQ(words(made.object(yaml).validate(*plugin)), expected);
    PluginCase status(Operation::kUpdate, "certificates.k8s.io", "certificatesigningrequests",
                      "status");
    EXPECT_EQ(words(status.object(yaml).validate(*plugin)), "");
  }
}

}  // namespace
}  // namespace proa::apiserver
