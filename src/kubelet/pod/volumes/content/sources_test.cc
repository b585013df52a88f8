#include "kubelet/pod/volumes/content/sources.h"

#include <fmt/format.h>

#include "json/parse.h"
#include "testkit/fake_clock.h"
#include "testkit/kubelet/volume_fixtures.h"

namespace proa::kubelet {
namespace {

using testing::make_pod;

class ContentSources : public ::testing::Test {
 protected:
  ContentSources() {
    objects_.objects["configmaps/shop/conf"] =
        R"({"data":{"a":"1","b":"2"},"binaryData":{"bin":"AAH/"}})";
    objects_.objects["secrets/shop/pass"] = R"({"data":{"user":"bWU=","word":"aHVzaA=="}})";
  }
  using Content = Result<Payload> (*)(const ContentInputs&, api::View);

  // "path=text(mode)" of all files, or the failure.
  std::string read(Content content, const std::string& source, const std::string& spec = "{}") {
    const PodPtr pod = make_pod(spec);
    const json::Document document = *json::parse(source);
    const PodFacts facts;
    const ContentInputs inputs{.pod = *pod,
                               .facts = facts,
                               .objects = objects_,
                               .tokens = tokens_,
                               .trust_bundles = bundles_};
    const Result<Payload> payload = content(inputs, document.root());
    if (!payload.ok()) return payload.status().message();
    std::string text;
    for (const auto& [path, file] : *payload) {
      text += fmt::format("{}={}({:o}{})", path, file.data, file.mode,
                          file.owner ? fmt::format(",{}", *file.owner) : "");
    }
    return text;
  }

  testkit::FakeClock clock_;
  testing::FakeObjects objects_;
  TrustBundles bundles_;
  TokenCache tokens_{
      clock_,
      [this](const Pod&, const std::string& audience, int64_t seconds) -> Result<BoundToken> {
        return BoundToken{.token = fmt::format("<{} {}>", audience, seconds),
                          .expires = clock_.now() + std::chrono::seconds(seconds)};
      }};
};

TEST_F(ContentSources, OfConfigMaps) {
  const std::string binary("\x00\x01\xff", 3);
  struct Case {
    const char* name;
    const char* source;
    std::string expected;
  };
  for (
      const Case& c : {
          Case{"all", R"({"name":"conf","defaultMode":420})",
               "a=1(644)b=2(644)bin=" + binary + "(644)"},
          Case{
              "items",
              R"({"name":"conf","defaultMode":256,"items":[{"key":"b","path":"x/y"},{"key":"bin","path":"z","mode":511}]})",
              "x/y=2(400)z=" + binary + "(777)"},
          Case{"no such key", R"({"name":"conf","items":[{"key":"c","path":"c"}]})",
               "configmap references non-existent config key: c"},
          Case{
              "no such key, optional",
              R"({"name":"conf","optional":true,"items":[{"key":"c","path":"c"},{"key":"a","path":"a"}]})",
              "a=1(644)"},
          Case{"no such map", R"({"name":"none"})", R"(configmap "none" not found)"},
          Case{"no such map, optional", R"({"name":"none","optional":true})", ""},
      }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(config_map_content, c.source), c.expected);
  }
  objects_.unreachable = true;
  EXPECT_EQ(read(config_map_content, R"({"name":"none","optional":true})"), "the API is away");
}

TEST_F(ContentSources, OfSecrets) {
  EXPECT_EQ(read(secret_content, R"({"secretName":"pass","defaultMode":256})"),
            "user=me(400)word=hush(400)");
  EXPECT_EQ(read(secret_content, R"({"secretName":"none"})"), R"(secret "none" not found)");
  EXPECT_EQ(read(secret_content, R"({"secretName":"pass","items":[{"key":"x","path":"y"}]})"),
            "references non-existent secret key: x");
}

TEST_F(ContentSources, OfThePodItself) {
  EXPECT_EQ(read(downward_content,
                 R"({"items":[{"path":"n","fieldRef":{"fieldPath":"metadata.name"}},)"
                 R"({"path":"s","mode":256,"fieldRef":{"fieldPath":"metadata.namespace"}}]})"),
            "n=web(644)s=shop(400)");
  EXPECT_NE(
      read(downward_content, R"({"items":[{"path":"n","fieldRef":{"fieldPath":"no.such"}}]})"), "");
}

TEST_F(ContentSources, OfSeveralTogether) {
  EXPECT_EQ(
      read(
          projected_content,
          R"({"defaultMode":288,"sources":[{"configMap":{"name":"conf","items":[{"key":"a","path":"f"}]}},)"
          R"({"secret":{"name":"pass","items":[{"key":"user","path":"f"}]}},)"
          R"({"serviceAccountToken":{"path":"token","audience":"x","expirationSeconds":700}},)"
          R"({"downwardAPI":{"items":[{"path":"n","fieldRef":{"fieldPath":"metadata.name"}}]}}]})"),
      "f=me(440)n=web(440)token=<x 700>(440)");
  EXPECT_EQ(read(projected_content,
                 R"({"sources":[{"configMap":{"name":"none"}},{"secret":{"name":"none"}},)"
                 R"({"configMap":{"name":"none"}}]})"),
            R"([configmap "none" not found, secret "none" not found])");
  EXPECT_EQ(read(projected_content, R"({"sources":[{"podCertificate":{}}]})"),
            "PodCertificate projection is not supported by this node");
}

TEST_F(ContentSources, GiveTokensToThePodsUserAlone) {
  struct Case {
    const char* name;
    const char* spec;
    const char* expected;
  };
  const char* source = R"({"sources":[{"serviceAccountToken":{"path":"t"}}]})";
  for (const Case& c : {
           Case{"nobody", R"({"containers":[{}]})", "t=< 3600>(644)"},
           Case{"user", R"({"securityContext":{"runAsUser":7},"containers":[{}]})",
                "t=< 3600>(600,7)"},
           Case{"group", R"({"securityContext":{"fsGroup":9},"containers":[{}]})",
                "t=< 3600>(600)"},
       }) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(read(projected_content, source, c.spec), c.expected);
  }
}

std::string bundle(const std::string& name, const std::string& signer, const std::string& pem) {
  return R"({"metadata":{"name":")" + name + R"(","labels":{"n":")" + name +
         R"("}},"spec":{"signerName":")" + signer + R"(","trustBundle":")" + pem + R"("}})";
}
std::string pem(const std::string& base64, const std::string& end = "\\n") {
  return "-----BEGIN CERTIFICATE-----" + end + base64 + end + "-----END CERTIFICATE-----" + end;
}

TEST_F(ContentSources, OfTrustBundles) {
  objects_.objects["clustertrustbundles//one"] =
      bundle("one", "", "junk\\n" + pem("QkJC") + pem("QUFB") + pem("QkJC"));
  const auto ask = [this](const std::string& source) {
    return read(projected_content,
                R"({"sources":[{"clusterTrustBundle":{"path":"p",)" + source + "}}]}");
  };
  const std::string a = pem("QUFB", "\n");
  const std::string b = pem("QkJC", "\n");
  EXPECT_EQ(ask(R"("name":"one")"), "p=" + a + b + "(644)");
  EXPECT_EQ(ask(R"("name":"none")"), "while getting ClusterTrustBundle: not there");
  EXPECT_EQ(ask(R"("name":"none","optional":true)"), "p=(644)");
  EXPECT_EQ(ask(R"("optional":true)"),
            "ClusterTrustBundle projection requires either name or signerName to be set");
  EXPECT_EQ(ask(R"("signerName":"s")"),
            "ClusterTrustBundle projection by signerName is not supported by this node");
  bundles_ = []() -> Result<std::vector<api::ObjectPtr>> {
    return std::vector<api::ObjectPtr>{api::Object::make(bundle("x", "s", pem("QUFB"))),
                                       api::Object::make(bundle("y", "s", pem("QkJC"))),
                                       api::Object::make(bundle("z", "other", pem("QkJC")))};
  };
  EXPECT_EQ(ask(R"("signerName":"s","labelSelector":{})"), "p=" + a + b + "(644)");
  EXPECT_EQ(ask(R"("signerName":"s","labelSelector":{"matchLabels":{"n":"y"}})"),
            "p=" + b + "(644)");
  // One that is absent matches nothing.
  EXPECT_EQ(ask(R"("signerName":"s")"),
            "combination of signerName and labelSelector matched zero ClusterTrustBundles");
}

}  // namespace
}  // namespace proa::kubelet
