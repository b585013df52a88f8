#include "controllers/access/certificates/approval.h"

#include <gtest/gtest.h>

#include "api/object/edit.h"

#include "client/certificates/test_request.h"
#include "testkit/crypto/test_request.h"

namespace proa::controllers {
namespace {

using Texts = std::vector<std::string>;

// What a kubelet asks for; tests change parts of it.
struct Asked {
  std::vector<std::pair<std::string, std::string>> subject = {{"O", "system:nodes"},
                                                              {"CN", "system:node:foo"}};
  std::string names = "";
  client::TestRequestObject object = {
      .signer = "kubernetes.io/kube-apiserver-client-kubelet",
      .usages = {"key encipherment", "digital signature", "client auth"},
      .pem = "",
      .username = "system:node:foo"};

  json::Document document() const {
    client::TestRequestObject made = object;
    made.pem = crypto::TestRequest{.subject = subject, .names = names}.pem();
    return made.document();
  }
};

// Who is asked whether the sender may.
struct Reviewer {
  std::string allowed = "";  // a subresource; "*": all
  Texts asked = {};

  Result<bool> operator()(std::string_view subresource) {
    asked.emplace_back(subresource);
    return allowed == "*" || allowed == subresource;
  }
};

// The message of the approval, "" for none, "! WHY" for a failure.
std::string approve(const json::Document& document, Reviewer& reviewer) {
  const auto said = approval_of(document.root(), std::ref(reviewer));
  if (!said) return "! " + said.status().message();
  if (!*said) return "";
  EXPECT_EQ((*said)->type, "Approved");
  EXPECT_EQ((*said)->reason, "AutoApproved");
  return (*said)->message;
}

TEST(ApprovalOf, NodesRenewTheirOwn) {
  Reviewer reviewer{.allowed = "selfnodeclient"};
  EXPECT_EQ(approve(Asked().document(), reviewer),
            "Auto approving self kubelet client certificate after SubjectAccessReview.");
  EXPECT_EQ(reviewer.asked, Texts{"selfnodeclient"});
}

TEST(ApprovalOf, NewNodesGetTheirFirst) {
  Reviewer reviewer{.allowed = "nodeclient"};
  Asked asked;
  asked.object.username = "system:bootstrap:abcdef";
  EXPECT_EQ(approve(asked.document(), reviewer),
            "Auto approving kubelet client certificate after SubjectAccessReview.");
  EXPECT_EQ(reviewer.asked, Texts{"nodeclient"});
}

TEST(ApprovalOf, TriesBothForANodeItself) {
  Reviewer reviewer{.allowed = "nodeclient"};
  EXPECT_EQ(approve(Asked().document(), reviewer),
            "Auto approving kubelet client certificate after SubjectAccessReview.");
  Reviewer nobody;
  EXPECT_EQ(approve(Asked().document(), nobody),
            "! recognized csr \"mine\" as [selfnodeclient nodeclient] but subject access review "
            "was not approved");
  Asked other;
  other.object.username = "joe";
  EXPECT_EQ(approve(other.document(), nobody),
            "! recognized csr \"mine\" as [nodeclient] but subject access review was not approved");
}

TEST(ReviewOf, IsAboutTheOneWhoSentIt) {
  json::Document document = Asked().document();
  const api::Edit spec = api::Edit(document).object("spec");
  spec.set("uid", "u-1");
  spec.array("groups").push(json::Value::borrowed("system:nodes"));
  spec.object("extra").array("example.com/why").push(json::Value::borrowed("because"));
  EXPECT_EQ(
      review_of(document.root(), "nodeclient"),
      R"({"spec":{"user":"system:node:foo","uid":"u-1","groups":["system:nodes"],)"
      R"("extra":{"example.com/why":["because"]},"resourceAttributes":{"verb":"create",)"
      R"("group":"certificates.k8s.io","version":"*","resource":"certificatesigningrequests",)"
      R"("subresource":"nodeclient"}}})");
}

TEST(ApprovalOf, LeavesToPeopleWhatNoKubeletAsksFor) {
  const struct {
    const char* name;
    void (*change)(Asked& asked);
  } cases[] = {
      {"a person", [](Asked& asked) { asked.subject[1].second = "mike"; }},
      {"in no group", [](Asked& asked) { asked.subject.erase(asked.subject.begin()); }},
      {"in another group", [](Asked& asked) { asked.subject[0].second = "system:master"; }},
      {"another usage", [](Asked& asked) { asked.object.usages.push_back("server auth"); }},
      {"a name", [](Asked& asked) { asked.names = "DNS:a.example"; }},
      {"another signer", [](Asked& asked) { asked.object.signer = "example.com/not-correct"; }},
      {"as a server", [](Asked& asked) { asked.object.signer = "kubernetes.io/kubelet-serving"; }},
      {"approved already", [](Asked& asked) { asked.object.conditions = {"Approved"}; }},
      {"denied already", [](Asked& asked) { asked.object.conditions = {"Denied"}; }},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Reviewer reviewer{.allowed = "*"};
    Asked asked;
    c.change(asked);
    EXPECT_EQ(approve(asked.document(), reviewer), "");
    EXPECT_TRUE(reviewer.asked.empty());
  }
}

TEST(ApprovalOf, LeavesWhatHasACertificateAlone) {
  Reviewer reviewer;
  json::Document document = Asked().document();
  api::Edit(document).object("status").set("certificate", "ZGF0YQ==");
  EXPECT_EQ(approve(document, reviewer), "");
  EXPECT_TRUE(reviewer.asked.empty());
}

TEST(ApprovalOf, FailsWhereNothingCanBeRead) {
  Reviewer reviewer;
  client::TestRequestObject object = Asked().object;
  object.pem = "garbage";
  EXPECT_EQ(approve(object.document(), reviewer), "! PEM block type must be CERTIFICATE REQUEST");
  const json::Document document = Asked().document();
  const auto failing = [](std::string_view) -> Result<bool> {
    return Status(Reason::kServiceUnavailable, "not now");
  };
  EXPECT_TRUE(approval_of(document.root(), failing).is(Reason::kServiceUnavailable));
}

}  // namespace
}  // namespace proa::controllers
