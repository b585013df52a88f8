// Creates, lists and deletes join tokens of a running server, as an administrator.
#include <gtest/gtest.h>

#include "admin.h"
#include "server.h"

namespace proa::e2e {
namespace {

class TokenTest : public testing::Test {
 protected:
  Outcome token(const std::string& words) const {
    return run_program("token " + words + " --data-dir " + data_dir_);
  }
  // Parses a printed token.
  static std::string id_of(const std::string& printed) { return printed.substr(6, 6); }
  static std::string secret_of(const std::string& printed) { return printed.substr(13, 32); }

  const TemporaryFolder folder_;
  const std::string data_dir_ = folder_.path() + "/data";
};

TEST_F(TokenTest, SaysWhatToDoWhereNoServerRuns) {
  for (const char* words : {"create", "list", "delete abcdef"}) {
    SCOPED_TRACE(words);
    const Outcome outcome = token(words);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(
        outcome.text.find("admin.kubeconfig does not exist; start `proa up` or `proa server`"),
        std::string::npos)
        << outcome.text;
  }
  {
    Server server(data_dir_);
    ASSERT_TRUE(server.ready()) << server.said();
  }
  for (const char* words : {"create", "list", "delete abcdef"}) {
    SCOPED_TRACE(words);
    const Outcome outcome = token(words);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.text.find("no server answers at https://127.0.0.1:"), std::string::npos)
        << outcome.text;
    EXPECT_NE(outcome.text.find("start it with `proa server` (--data-dir " + data_dir_),
              std::string::npos)
        << outcome.text;
  }
}

TEST_F(TokenTest, RefusesWhatMakesNoSense) {
  for (const char* words : {"create --ttl -1h", "create --ttl 2000000h",
                            "create --groups system:masters", "create --usages other",
                            "create --usages ''", "delete not-a-token", "delete proa1.abcdef"}) {
    SCOPED_TRACE(words);
    const Outcome outcome = token(words);
    EXPECT_EQ(outcome.code, 2) << outcome.text;
    EXPECT_EQ(outcome.text.find("admin.kubeconfig"), std::string::npos) << outcome.text;
  }
  EXPECT_EQ(token("delete").code, 2);
  EXPECT_EQ(token("create --ttl soon").code, 2);
}

TEST_F(TokenTest, PrintsTheWholeCommandForTheNewMachine) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  const Outcome made = token("create --print-join-command");
  ASSERT_EQ(made.code, 0) << made.text;
  EXPECT_TRUE(made.text.starts_with("proa node --server " + server.url() + " --token proa1."))
      << made.text;
}

TEST_F(TokenTest, AWrongOneComesWithAdvice) {
  if (geteuid() != 0) GTEST_SKIP() << "only root joins";
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  const std::string made = token("create").text;
  std::string wrong = made.substr(0, made.find('\n'));
  wrong.replace(13, 32, std::string(32, '0'));
  const Outcome refused = run_program("node --server " + server.url() + " --token " + wrong +
                                      " --data-dir " + folder_.path() + "/node");
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.text.find("the server does not accept the token: it is wrong, has expired or "
                              "was deleted; create another one on the server with `proa token "
                              "create`"),
            std::string::npos)
      << refused.text;
}

TEST_F(TokenTest, PrintsATokenThatNamesTheAuthority) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  const Outcome made = token("create --description 'the new rack'");
  ASSERT_EQ(made.code, 0) << made.text;
  const Outcome hash = run_shell("openssl x509 -pubkey -noout -in " + data_dir_ +
                                 "/tls/authority.crt | openssl pkey -pubin -outform DER | "
                                 "sha256sum | cut -d' ' -f1");
  ASSERT_EQ(made.text.size(), std::string("proa1.").size() + 6 + 1 + 32 + 1 + 64 + 1) << made.text;
  EXPECT_TRUE(made.text.ends_with("." + hash.text)) << made.text << hash.text;

  Admin admin(data_dir_);
  const auto secret = admin.ask(
      "GET", "/api/v1/namespaces/kube-system/secrets/bootstrap-token-" + id_of(made.text));
  ASSERT_EQ(secret.code, 200);
  EXPECT_EQ(text_at(secret.root(), {"type"}), "bootstrap.kubernetes.io/token");
  const auto data = [&](std::string_view key) {
    return from_base64(text_at(secret.root(), {"data", key})).value_or("?");
  };
  EXPECT_EQ(data("token-id"), id_of(made.text));
  EXPECT_EQ(data("token-secret"), secret_of(made.text));
  EXPECT_EQ(data("description"), "the new rack");
  EXPECT_EQ(data("usage-bootstrap-authentication"), "true");
  EXPECT_EQ(data("usage-bootstrap-signing"), "true");
  EXPECT_EQ(data("auth-extra-groups"), "system:bootstrappers:proa:default-node-token");
  EXPECT_FALSE(data("expiration").empty());
  EXPECT_EQ(server.stop(SIGTERM), 0) << server.said();
}

TEST_F(TokenTest, ListsThemWithoutTheirSecrets) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  const Outcome none = token("list");
  EXPECT_EQ(none.code, 0);
  EXPECT_NE(none.text.find("no tokens; create one"), std::string::npos) << none.text;

  const std::string day = token("create").text;
  const std::string ever =
      token("create --ttl 0 --usages signing --groups '' --description mine").text;
  const Outcome listed = token("list");
  ASSERT_EQ(listed.code, 0) << listed.text;
  const Outcome json = token("list -o json");
  ASSERT_EQ(json.code, 0) << json.text;
  for (const std::string& printed : {day, ever}) {
    for (const Outcome* shown : {&listed, &json}) {
      EXPECT_NE(shown->text.find(id_of(printed)), std::string::npos) << shown->text;
      EXPECT_EQ(shown->text.find(secret_of(printed)), std::string::npos) << shown->text;
    }
  }
  EXPECT_TRUE(listed.text.starts_with("ID ")) << listed.text;
  EXPECT_NE(listed.text.find("23h"), std::string::npos) << listed.text;
  EXPECT_NE(listed.text.find("forever"), std::string::npos) << listed.text;
  const json::Document document = json::parse(json.text).value();
  EXPECT_EQ(at(document.root(), {"tokens"}).size(), 2U);
  for (const json::Value& one : at(document.root(), {"tokens"}).items()) {
    const bool is_ever = text_at(one, {"id"}) == id_of(ever);
    EXPECT_EQ(text_at(one, {"expires"}).empty(), is_ever) << json.text;
    EXPECT_EQ(at(one, {"usages"}).size(), is_ever ? 1U : 2U) << json.text;
    EXPECT_EQ(text_at(one, {"description"}), is_ever ? "mine" : "");
  }
}

TEST_F(TokenTest, DeletesThemByIdOrToken) {
  Server server(data_dir_);
  ASSERT_TRUE(server.ready()) << server.said();
  const auto make = [&] {
    const std::string text = token("create").text;
    return text.substr(0, text.size() - 1);
  };
  const std::string first = make();
  const std::string second = make();
  const std::string third = make();
  EXPECT_EQ(token("delete " + id_of(first)).text, "token " + id_of(first) + " deleted\n");
  EXPECT_EQ(token("delete " + second + " " + id_of(third) + "." + secret_of(third)).code, 0);
  const Outcome again = token("delete " + id_of(first));
  EXPECT_EQ(again.code, 1);
  EXPECT_NE(again.text.find("no such token: " + id_of(first)), std::string::npos) << again.text;
  EXPECT_NE(token("list").text.find("no tokens; create one"), std::string::npos);
}

}  // namespace
}  // namespace proa::e2e
