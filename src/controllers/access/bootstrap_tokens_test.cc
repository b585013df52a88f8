#include "controllers/access/bootstrap_tokens.h"

#include <gtest/gtest.h>

#include "base/encoding.h"
#include "json/parse.h"

namespace proa::controllers {
namespace {

constexpr Time kNow{std::chrono::seconds(1767366245)};  // 2026-01-02T15:04:05Z

std::string secret_json(const std::string& name,
                        const std::vector<std::pair<std::string, std::string>>& data) {
  std::string text = R"({"metadata":{"name":")" + name + R"("},"data":{)";
  for (const auto& [key, value] : data) {
    if (text.back() != '{') text += ',';
    text += '"' + key + R"(":")" + to_base64(value) + '"';
  }
  return text + "}}";
}

TEST(DetachedSignature, IsUpstreams) {
  const std::string_view content =
      "Hello from the other side. I must have called a thousand times.";
  const std::string header = "eyJhbGciOiJIUzI1NiIsImtpZCI6Impvc2h1YSJ9..";
  EXPECT_EQ(detached_signature(content, {"joshua", "my voice is my passcode"}),
            header + "VShe2taLd-YTrmWuRkcL_8QTNDHYxQIEBsAYYiIj1_8");
  EXPECT_EQ(detached_signature("", {"joshua", "my voice is my passcode"}),
            header + "7Ui1ALizW4jXphVUB7xUqC9vLYLL9RZeOFfVLoB7Tgk");
  EXPECT_EQ(detached_signature(content, {"joshua", ""}),
            header + "UfkqvDGiIFxrMnFseDj9LYJOLNrvjW8aHhF71mvvAs8");
}

TEST(SigningToken, IsOneThatIsWholeAndNotOver) {
  using Data = std::vector<std::pair<std::string, std::string>>;
  const Data whole{
      {"token-id", "abcdef"}, {"token-secret", "s"}, {"usage-bootstrap-signing", "true"}};
  const struct {
    const char* name;
    const char* secret_name;
    Data data;
    bool signs;
  } cases[] = {
      {"whole", "bootstrap-token-abcdef", whole, true},
      {"another name", "bootstrap-token-abcdeg", whole, false},
      {"a name of another form", "token-abcdef", whole, false},
      {"no id",
       "bootstrap-token-abcdef",
       {{"token-secret", "s"}, {"usage-bootstrap-signing", "true"}},
       false},
      {"no secret",
       "bootstrap-token-abcdef",
       {{"token-id", "abcdef"}, {"usage-bootstrap-signing", "true"}},
       false},
      {"not for signing",
       "bootstrap-token-abcdef",
       {{"token-id", "abcdef"}, {"token-secret", "s"}, {"usage-bootstrap-signing", "yes"}},
       false},
      {"not over",
       "bootstrap-token-abcdef",
       {{"token-id", "abcdef"},
        {"token-secret", "s"},
        {"usage-bootstrap-signing", "true"},
        {"expiration", "2026-01-02T15:04:06Z"}},
       true},
      {"over",
       "bootstrap-token-abcdef",
       {{"token-id", "abcdef"},
        {"token-secret", "s"},
        {"usage-bootstrap-signing", "true"},
        {"expiration", "2026-01-02T15:04:05Z"}},
       false},
      {"an end that can't be read",
       "bootstrap-token-abcdef",
       {{"token-id", "abcdef"},
        {"token-secret", "s"},
        {"usage-bootstrap-signing", "true"},
        {"expiration", "tomorrow"}},
       false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const json::Document secret = *json::parse(secret_json(c.secret_name, c.data));
    EXPECT_EQ(signing_token(secret.root(), kNow).has_value(), c.signs);
  }
}

}  // namespace
}  // namespace proa::controllers
