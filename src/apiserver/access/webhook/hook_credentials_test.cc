#include "apiserver/access/webhook/hook_credentials.h"

#include <gtest/gtest.h>

#include "json/yaml.h"
#include "testkit/memory_files.h"

namespace proa::apiserver {
namespace {

constexpr const char* kHead =
    "apiVersion: apiserver.config.k8s.io/v1\nkind: WebhookAdmissionConfiguration\n";

class HookCredentialsTest : public testing::Test {
 protected:
  Result<std::shared_ptr<const HookCredentials>> read(const std::string& rest) {
    return HookCredentials::read(json::parse_yaml(kHead + rest).value().root(), files_);
  }
  std::string problem(const std::string& rest) {
    const auto found = read(rest);
    return found ? "" : found.status().message();
  }
  // Each user's token is its name.
  void users(const std::vector<std::string>& names, const std::string& rest = "") {
    std::string text = "apiVersion: v1\nkind: Config\nusers:\n";
    for (const std::string& name : names)
      text += "- {name: '" + name + "', user: {token: '" + name + "'}}\n";
    files_.content["/users"] = text + rest;
  }
  std::string token(const std::string& url) {
    const auto credentials = read("kubeConfigFile: /users\n").value();
    const auto found = credentials->find({.url = url, .service = {}, .authority_pem = {}});
    return found == nullptr ? "none" : found->token;
  }

  testkit::MemoryFiles files_;
};

TEST_F(HookCredentialsTest, UsersAreFoundByTheHost) {
  users({"hook.team.svc", "a.example:8443", "*.example:8443", "*.corp.test", "*.test"});
  EXPECT_EQ(token("https://hook.team.svc:443/x"), "hook.team.svc");
  EXPECT_EQ(token("https://hook.team.svc:8443/x"), "none");
  EXPECT_EQ(token("https://a.example:8443"), "a.example:8443");
  EXPECT_EQ(token("https://b.example:8443"), "*.example:8443");
  EXPECT_EQ(token("https://b.example"), "none");
  EXPECT_EQ(token("https://x.y.corp.test"), "*.corp.test");
  EXPECT_EQ(token("https://x.test"), "*.test");
  users({"x", "*"});
  EXPECT_EQ(token("https://b.example"), "*");
  users({"x"}, "contexts: [{name: c, context: {user: x, cluster: y}}]\ncurrent-context: c\n");
  EXPECT_EQ(token("https://b.example"), "x");
}

TEST_F(HookCredentialsTest, SayWhatIsWrong) {
  EXPECT_EQ(problem(""), "");
  EXPECT_EQ(problem("kubeConfigFile: users\n"),
            "kubeConfigFile: Invalid value: \"users\": must be an absolute file path");
  EXPECT_EQ(problem("kubeconfigFile: /users\n"),
            "strict decoding error: unknown field \"kubeconfigFile\"");
  EXPECT_NE(problem("kubeConfigFile: /none\n").find("/none"), std::string::npos);
  files_.content["/users"] = "users: [{name: a, user: {exec: {}}}]";
  EXPECT_EQ(problem("kubeConfigFile: /users\n"),
            "kubeconfig /users: user \"a\": exec is not supported");
  files_.content["/users"] = "users: [{name: a, user: {username: x, password: y}}]";
  EXPECT_EQ(problem("kubeConfigFile: /users\n"),
            "kubeconfig /users: user \"a\": username is not supported");
  EXPECT_FALSE(HookCredentials::read(json::parse_yaml("kind: Other").value().root(), files_).ok());
  EXPECT_TRUE(HookCredentials::read({}, files_).ok());
}

}  // namespace
}  // namespace proa::apiserver
