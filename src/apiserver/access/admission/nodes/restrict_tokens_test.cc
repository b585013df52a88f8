#include "testkit/apiserver/restriction_case.h"

namespace proa::apiserver {
namespace {

const std::string kForbidden = "serviceaccounts \"mysa\" is forbidden: ";

class RestrictTokensTest : public RestrictionTest {
 protected:
  RestrictTokensTest() {
    put_pod("plain", "mynode");
    put_pod("other", "othernode");
    put_volumes("projected", R"({"name":"v","projected":{"sources":[{"downwardAPI":{}},)"
                             R"({"serviceAccountToken":{"audience":"foo","path":"t"}}]}})");
    put_volumes("default", R"({"name":"v","projected":{"sources":[)"
                           R"({"serviceAccountToken":{"path":"t"}}]}})");
    put_volumes("inline", R"({"name":"v","csi":{"driver":"my.driver"}})");
    put_volumes("claim", R"({"name":"v","persistentVolumeClaim":{"claimName":"data"}})");
    put_volumes("ephemeral", R"({"name":"v","ephemeral":{"volumeClaimTemplate":{}}})");
    put_volumes("lost", R"({"name":"v","persistentVolumeClaim":{"claimName":"gone"}},)"
                        R"({"name":"w","persistentVolumeClaim":{"claimName":"gone"}},)"
                        R"({"name":"x","csi":{"driver":"gone.driver"}})");
    put_volumes("both", R"({"name":"v","persistentVolumeClaim":{"claimName":"gone"}},)"
                        R"({"name":"w","csi":{"driver":"my.driver"}})");
    put_volumes("azure", R"({"name":"v","azureFile":{"secretName":"s"}})");
    put_volumes("azure-claim", R"({"name":"v","persistentVolumeClaim":{"claimName":"azure"}})");
    put_volumes("unbound", R"({"name":"v","persistentVolumeClaim":{"claimName":"unbound"}})");
    put("csidrivers/my.driver", R"({"spec":{"tokenRequests":[{"audience":"foo"}]}})");
    put("csidrivers/file.csi.azure.com", R"({"spec":{"tokenRequests":[{"audience":"foo"}]}})");
    for (const std::string name : {"data", "ephemeral-v"}) {
      put("persistentvolumeclaims/ns/" + name, R"({"spec":{"volumeName":"pv"}})");
    }
    put("persistentvolumeclaims/ns/azure", R"({"spec":{"volumeName":"azure-pv"}})");
    put("persistentvolumeclaims/ns/unbound", R"({"spec":{}})");
    put("persistentvolumes/pv", R"({"spec":{"csi":{"driver":"my.driver"}}})");
    put("persistentvolumes/azure-pv", R"({"spec":{"azureFile":{"secretName":"s"}}})");
  }
  void put_volumes(const std::string& name, const std::string& volumes) {
    put_pod(name, "mynode", R"(,"volumes":[)" + volumes + "]");
  }
  std::string ask_for(const std::string& pod, const std::string& audiences,
                      const std::string& uid = "pod-uid") {
    return create("serviceaccounts/token", "ns/mysa",
                  R"({"spec":{"audiences":[)" + audiences +
                      R"(],"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":")" + pod +
                      R"(","uid":")" + uid + "\"}}}");
  }
};

TEST_F(RestrictTokensTest, TokensAreBoundToPodsOfTheNode) {
  const std::string unbound = kForbidden + "node requested token not bound to a pod";
  for (const std::string spec :
       {R"({})", R"({"boundObjectRef":null})",
        R"({"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"plain","uid":"x"}})",
        R"({"boundObjectRef":{"kind":"Node","apiVersion":"v1","name":"mynode","uid":"x"}})",
        R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v2","name":"plain","uid":"x"}})",
        R"({"boundObjectRef":{"kind":"Pod","apiVersion":"v1","uid":"x"}})"}) {
    SCOPED_TRACE(spec);
    EXPECT_EQ(create("serviceaccounts/token", "ns/mysa", R"({"spec":)" + spec + "}"), unbound);
  }
  EXPECT_EQ(ask_for("projected", "\"foo\"", ""),
            kForbidden + "node requested token with a pod binding without a uid");
  EXPECT_EQ(ask_for("nobody", "\"foo\""), "pod \"nobody\" not found");
  EXPECT_EQ(last_->reason(), Reason::kNotFound);
  EXPECT_EQ(ask_for("projected", "\"foo\"", "before"),
            kForbidden +
                "the UID in the bound object reference (before) does not match the UID in record. "
                "The object might have been deleted and then recreated");
  EXPECT_EQ(ask_for("other", "\"foo\""),
            kForbidden + "node requested token bound to a pod scheduled on a different node");
  EXPECT_EQ(ask_for("projected", "\"foo\""), "");
}

TEST_F(RestrictTokensTest, PodsSayWhatTokensAreFor) {
  const auto not_found = [](const std::string& audience) {
    return kForbidden + "audience \"" + audience +
           "\" not found in pod spec volume, system:node:mynode is not authorized to request "
           "tokens for this audience";
  };
  for (const std::string pod :
       {"projected", "inline", "claim", "ephemeral", "azure", "azure-claim"}) {
    SCOPED_TRACE(pod);
    EXPECT_EQ(ask_for(pod, "\"foo\""), "");
    EXPECT_EQ(ask_for(pod, "\"bar\""), not_found("bar"));
    EXPECT_EQ(ask_for(pod, ""), not_found(""));
  }
  EXPECT_EQ(ask_for("default", ""), "");
  EXPECT_EQ(ask_for("default", "\"\""), "");
  EXPECT_EQ(ask_for("default", "\"foo\""), not_found("foo"));
  EXPECT_EQ(ask_for("plain", "\"foo\""), not_found("foo"));
  EXPECT_EQ(answers_.asked,
            "system:node:mynode request-serviceaccounts-token-audience /v1 foo ns/mysa");
  EXPECT_EQ(ask_for("projected", R"("foo","bar")"),
            kForbidden + "node may only request 0 or 1 audiences");
  EXPECT_EQ(ask_for("projected", R"("foo","foo")"),
            kForbidden + "node may only request 0 or 1 audiences");
}

TEST_F(RestrictTokensTest, WhatLeadsToADriverMustBeThere) {
  const std::string cannot = kForbidden + "error validating audience \"foo\": ";
  EXPECT_EQ(ask_for("lost", "\"foo\""),
            cannot +
                "[persistentvolumeclaim \"gone\" not found, csidriver.storage.k8s.io "
                "\"gone.driver\" not found]");
  EXPECT_EQ(ask_for("unbound", "\"foo\""), cannot + "persistentvolume \"\" not found");
  EXPECT_EQ(ask_for("both", "\"foo\""), "");
  // Not even if RBAC allows it.
  answers_.decision = Decision::kAllow;
  EXPECT_NE(ask_for("lost", "\"foo\""), "");
}

TEST_F(RestrictTokensTest, AuthorizersMayAllowMore) {
  answers_.decision = Decision::kAllow;
  EXPECT_EQ(ask_for("plain", "\"anything\""), "");
  EXPECT_NE(ask_for("other", "\"anything\""), "");
  answers_.decision = Decision::kDeny;
  EXPECT_NE(ask_for("plain", "\"anything\""), "");
}

TEST_F(RestrictTokensTest, AccountsThemselvesAreForAuthorizers) {
  EXPECT_EQ(create("serviceaccounts", "ns/", R"({"metadata":{"name":"x"}})"), "");
  EXPECT_EQ(update("serviceaccounts/token", "ns/mysa", "{}", "{}"), "");
}

}  // namespace
}  // namespace proa::apiserver
