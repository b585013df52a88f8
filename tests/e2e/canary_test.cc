// Passes secrets to a server in every possible way, with debug logs, and searches its output for
// them.
#include <gtest/gtest.h>

#include <cstdlib>

#include "admin.h"
#include "server.h"

namespace proa::e2e {
namespace {

// Contains nothing that could be printed by chance.
constexpr const char* kCanary = "canary-7f3a9c51e2";

TEST(Canary, NoSecretIsLogged) {
  const TemporaryFolder folder;
  const std::string data_dir = folder.path() + "/data";
  const std::string token = std::string(kCanary) + "-static";
  const std::string tokens = folder.file("tokens.csv", token + ",robot,1,\"readers\"\n");
  setenv("PROA_LOG_LEVEL", "debug", 1);
  setenv("PROA_TOKEN_AUTH_FILE", tokens.c_str(), 1);
  Server server(data_dir);
  unsetenv("PROA_LOG_LEVEL");
  unsetenv("PROA_TOKEN_AUTH_FILE");
  ASSERT_TRUE(server.ready()) << server.said();

  Admin admin(data_dir);
  const std::string canary = kCanary;
  const std::string secrets = "/api/v1/namespaces/default/secrets";
  const std::string data = to_base64(canary);
  EXPECT_EQ(
      admin
          .ask("POST", secrets, R"({"metadata":{"name":"s"},"stringData":{"p":")" + canary + "\"}}")
          .code,
      201);
  // Invalid in many ways: rejected values must not be logged either.
  EXPECT_EQ(admin
                .ask("POST", secrets,
                     R"({"metadata":{"name":"t","labels":{"a":"no label!"}},"data":{"p":")" + data +
                         "\"}}")
                .code,
            422);
  EXPECT_GE(admin.ask("POST", secrets, R"({"metadata":{"name":"u"},"data":{"p":")" + canary).code,
            400);
  EXPECT_EQ(admin
                .ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews",
                     R"({"spec":{"token":")" + canary + ".a.b\"}}")
                .code,
            201);
  // As clients send them, known and unknown.
  const std::string url = server.url();
  for (const std::string& shown :
       {token, canary + "-unknown", canary + ".a.b", "abc123." + canary}) {
    const Outcome outcome = run_shell("curl -sk -o /dev/null -H 'Authorization: Bearer " + shown +
                                      "' " + url + "/api/v1/namespaces/default/secrets?x=" + "1");
    EXPECT_EQ(outcome.code, 0) << outcome.text;
  }
  const Outcome issued =
      run_shell("curl -sk -H 'Authorization: Bearer " + token + "' " + url + "/api/v1/namespaces");
  EXPECT_NE(issued.text.find("robot"), std::string::npos) << issued.text;  // known, and denied
  server.stop(SIGTERM);
  EXPECT_EQ(server.said().find(kCanary), std::string::npos) << server.said();
  EXPECT_EQ(server.said().find(data), std::string::npos);
  EXPECT_NE(server.said().find("Ready"), std::string::npos);
}

}  // namespace
}  // namespace proa::e2e
