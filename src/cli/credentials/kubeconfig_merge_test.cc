#include "cli/credentials/kubeconfig_merge.h"

#include <gtest/gtest.h>

#include "cli/credentials/kubeconfig.h"
#include "json/print.h"

namespace proa::cli {
namespace {

std::string ours(const std::string& server) {
  return make_kubeconfig({.server = server,
                          .authority_pem = "a",
                          .client_certificate_pem = "c",
                          .client_key_pem = "k"});
}

std::string merged(std::string_view existing, std::string_view added) {
  const auto document = merge_kubeconfigs(existing, added);
  return document ? json::print(document->root()) : document.status().message();
}

constexpr std::string_view kOther = R"(
apiVersion: v1
kind: Config
preferences: {colors: true}
clusters: [{name: work, cluster: {server: "https://work"}}]
users: [{name: me, user: {token: t}}]
contexts: [{name: work, context: {cluster: work, user: me, namespace: shop}}]
current-context: work
)";

TEST(MergeKubeconfigs, KeepsOtherEntriesAndReplacesItsOwn) {
  const std::string once = merged(kOther, ours("https://one"));
  for (const char* part : {R"("preferences":{"colors":true})",
                           R"({"name":"work","cluster":{"server":"https://work"}})",
                           R"({"name":"me","user":{"token":"t"}})", R"("namespace":"shop")",
                           R"("https://one")", R"("current-context":"proa")"}) {
    EXPECT_NE(once.find(part), std::string::npos) << part << " in " << once;
  }
  const std::string twice = merged(once, ours("https://two"));
  EXPECT_EQ(twice.find("https://one"), std::string::npos) << twice;
  EXPECT_NE(twice.find("https://two"), std::string::npos) << twice;
  EXPECT_NE(twice.find("https://work"), std::string::npos) << twice;
}

TEST(MergeKubeconfigs, NothingIsAKubeconfigToo) {
  EXPECT_EQ(merged("", ours("https://one")), merged("", merged("", ours("https://one"))));
  EXPECT_NE(merged("", ours("https://one")).find("\"kind\":\"Config\""), std::string::npos);
  EXPECT_EQ(merged("kind: Pod", ours("https://one")), "not a kubeconfig");
  EXPECT_EQ(merged("- a", ours("https://one")), "not a kubeconfig");
}

TEST(WithServer, ChangesOnlyThat) {
  const auto changed = with_server(ours("https://127.0.0.1:6443"), "https://proa.example.com:6443");
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(merged("", json::print(changed->root())),
            merged("", ours("https://proa.example.com:6443")));
}

}  // namespace
}  // namespace proa::cli
