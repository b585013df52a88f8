#include "client/certificates/signer_rules.h"

#include <gtest/gtest.h>

#include "client/certificates/test_request.h"
#include "testkit/crypto/test_request.h"

namespace proa::client {
namespace {

using Usages = std::vector<std::string_view>;
using Subject = std::vector<std::pair<std::string, std::string>>;

const Subject kNode = {{"O", "system:nodes"}, {"CN", "system:node:a"}};
const Usages kClient = {"digital signature", "key encipherment", "client auth"};
const Usages kClientNoRsa = {"digital signature", "client auth"};
const Usages kServing = {"key encipherment", "digital signature", "server auth"};
const Usages kServingNoRsa = {"digital signature", "server auth"};

struct Case {
  const char* name;
  Subject subject;
  const char* names;
  Usages usages;
  const char* expected;
};

void run(std::string_view signer, std::span<const Case> cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const crypto::TestRequest wanted{.subject = c.subject, .names = c.names};
    const auto request = crypto::CertificateRequest::parse(wanted.pem());
    ASSERT_TRUE(request.ok()) << request.status().message();
    const auto checked = check_for_signer(signer, *request, c.usages);
    EXPECT_EQ(checked.ok() ? "" : checked.status().message(), c.expected);
  }
}

TEST(SignerRules, KnowsItsOwnSigners) {
  EXPECT_TRUE(is_own_signer("kubernetes.io/kube-apiserver-client"));
  EXPECT_TRUE(is_own_signer("kubernetes.io/kube-apiserver-client-kubelet"));
  EXPECT_TRUE(is_own_signer("kubernetes.io/kubelet-serving"));
  for (const char* other : {"", "kubernetes.io/legacy-unknown", "kubernetes.io/not-recognised",
                            "example.com/sample-name", "kubernetes.io/kubelet-serving2"}) {
    EXPECT_FALSE(is_own_signer(other)) << other;
  }
}

TEST(SignerRules, ClientsOfTheApiServerMayBeAnybody) {
  const Case cases[] = {
      {"with key encipherment", {{"O", "some-org"}, {"CN", "hello"}}, "", kClient, ""},
      {"without", {{"CN", "hello"}}, "", kClientNoRsa, ""},
      {"for that alone", {{"CN", "hello"}}, "", {"client auth"}, ""},
      {"with names", {{"CN", "hello"}}, "DNS:a.example,URI:spiffe://a/b", kClient, ""},
      {"for servers too",
       {{"CN", "hello"}},
       "",
       {"server auth", "client auth"},
       "invalid usage for client certificate: server auth"},
      {"for what else",
       {{"CN", "hello"}},
       "",
       {"client auth", "cert sign"},
       "invalid usage for client certificate: cert sign"},
      {"not for clients",
       {{"CN", "hello"}},
       "",
       {"digital signature"},
       "missing required usage for client certificate: client auth"},
      {"for nothing",
       {{"CN", "hello"}},
       "",
       {},
       "missing required usage for client certificate: client auth"},
  };
  run(kApiServerClientSigner, cases);
}

TEST(SignerRules, KubeletsAsClientsAreNodesWithoutNames) {
  const char* kUsages = "usages did not match [client auth digital signature key encipherment]";
  const Case cases[] = {
      {"a node", kNode, "", kClient, ""},
      {"a node without RSA", kNode, "", kClientNoRsa, ""},
      {"in no group",
       {{"CN", "system:node:a"}},
       "",
       kClient,
       "subject organization is not system:nodes"},
      {"in another group",
       {{"O", "system:masters"}, {"CN", "system:node:a"}},
       "",
       kClient,
       "subject organization is not system:nodes"},
      {"in another group, too",
       {{"O", "system:nodes"}, {"O", "system:masters"}, {"CN", "system:node:a"}},
       "",
       kClient,
       "subject organization is not system:nodes"},
      {"a person",
       {{"O", "system:nodes"}, {"CN", "mike"}},
       "",
       kClient,
       "subject common name does not begin with system:node:"},
      {"a person behind a node",
       {{"O", "system:nodes"}, {"CN", "system:node:a"}, {"CN", "mike"}},
       "",
       kClient,
       "subject common name does not begin with system:node:"},
      {"DNS", kNode, "DNS:a.example", kClient, "DNS subjectAltNames are not allowed"},
      {"email", kNode, "email:a@b.example", kClient, "Email subjectAltNames are not allowed"},
      {"IP", kNode, "IP:10.0.0.1", kClient, "IP subjectAltNames are not allowed"},
      {"URI", kNode, "URI:https://a.example", kClient, "URI subjectAltNames are not allowed"},
      {"one usage more",
       kNode,
       "",
       {"digital signature", "key encipherment", "client auth", "server auth"},
       kUsages},
      {"one usage less", kNode, "", {"client auth"}, kUsages},
      {"as a server", kNode, "", kServing, kUsages},
  };
  run(kKubeletClientSigner, cases);
}

TEST(SignerRules, KubeletsAsServersAreNodesWithNames) {
  const char* kUsages = "usages did not match [digital signature key encipherment server auth]";
  const Case cases[] = {
      {"a name", kNode, "DNS:a.example", kServing, ""},
      {"an address", kNode, "IP:10.0.0.1", kServing, ""},
      {"without RSA", kNode, "DNS:a.example,IP:fd00::1", kServingNoRsa, ""},
      {"nothing", kNode, "", kServing, "DNS or IP subjectAltName is required"},
      {"email only", kNode, "email:a@b.example", kServing, "DNS or IP subjectAltName is required"},
      {"email, too", kNode, "DNS:a.example,email:a@b.example", kServing,
       "Email subjectAltNames are not allowed"},
      {"a URI, too", kNode, "DNS:a.example,URI:https://a.example", kServing,
       "URI subjectAltNames are not allowed"},
      {"as a client", kNode, "DNS:a.example", kClient, kUsages},
      {"in another group",
       {{"O", "other"}, {"CN", "system:node:a"}},
       "DNS:a.example",
       kServing,
       "subject organization is not system:nodes"},
      {"a person",
       {{"O", "system:nodes"}, {"CN", "mike"}},
       "DNS:a.example",
       kServing,
       "subject common name does not begin with system:node:"},
  };
  run(kKubeletServingSigner, cases);
}

}  // namespace
}  // namespace proa::client
