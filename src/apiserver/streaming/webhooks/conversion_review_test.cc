#include "apiserver/streaming/webhooks/conversion_review.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "json/print.h"

namespace proa::apiserver {
namespace {

constexpr const char* kShip =
    R"({"kind":"Ship","apiVersion":"example.com/v1","metadata":{"name":"a","namespace":"n",)"
    R"("uid":"u","labels":{"l":"1"},"generation":3},"spec":{"crew":2}})";

class ConversionReviewTest : public testing::Test {
 protected:
  // The answer to a question about one ship, or its failure.
  std::string read(const std::string& answer) {
    const json::Value* const objects[] = {&ship_.root()};
    const Result<std::vector<json::Document>> read = read_conversion(
        {.version = version_, .uid = "q", .wanted = "example.com/v2", .objects = objects}, answer);
    if (!read) return read.status().message();
    return read->size() == 1 ? json::print(read->front().root()) : "several";
  }
  static std::string answer(const std::string& objects, const std::string& uid = "q",
                            const std::string& result = R"({"status":"Success"})") {
    return R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","response":{"uid":")" +
           uid + R"(","result":)" + result + R"(,"convertedObjects":)" + objects + "}}";
  }
  static std::string object(const std::string& metadata) {
    return R"([{"kind":"Ship","apiVersion":"example.com/v2","metadata":)" + metadata +
           R"(,"spec":{"hands":2}}])";
  }

  const json::Document ship_ = json::parse_literal(kShip);
  std::string version_ = "v1";
};

TEST_F(ConversionReviewTest, AsksAsUpstreamDoes) {
  const json::Value* const objects[] = {&ship_.root(), &ship_.root()};
  EXPECT_EQ(conversion_text(
                {.version = "v1", .uid = "q", .wanted = "example.com/v2", .objects = objects}),
            R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":)"
            R"({"uid":"q","desiredAPIVersion":"example.com/v2","objects":[)" +
                std::string(kShip) + "," + kShip +
                R"(]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}})");
}

TEST_F(ConversionReviewTest, TakesTheFirstVersionThatExists) {
  const auto chosen = [](const char* versions) {
    const json::Document document = json::parse_literal(versions);
    const Result<std::string> version = review_version(document.root());
    return version ? *version : version.status().message();
  };
  EXPECT_EQ(chosen(R"(["v3","v1beta1","v1"])"), "v1beta1");
  EXPECT_EQ(chosen(R"(["v1"])"), "v1");
  EXPECT_EQ(chosen(R"(["v3"])"), "no supported conversion review versions");
}

TEST_F(ConversionReviewTest, SaysWhoseAnswerCannotBeRead) {
  const std::string failed =
      "conversion webhook for example.com/v1, Kind=Ship failed: the webhook's answer cannot be "
      "read: couldn't get version/kind; json parse error: ";
  EXPECT_EQ(read("<html></html>"), failed + "invalid character '<' looking for beginning of value");
  EXPECT_TRUE(read("\"no\"").starts_with(failed + "json: cannot unmarshal string into Go value"))
      << read("\"no\"");
}

// What is neither label nor annotation is not the webhook's business.
TEST_F(ConversionReviewTest, KeepsMetadata) {
  EXPECT_EQ(read(answer(object(R"({"name":"a","namespace":"n","uid":"u","generation":9,)"
                               R"("annotations":{"b":"2"},"finalizers":["x"]})"))),
            R"({"kind":"Ship","apiVersion":"example.com/v2","metadata":{"name":"a",)"
            R"("namespace":"n","uid":"u","generation":3,"annotations":{"b":"2"}},)"
            R"("spec":{"hands":2}})");
}

TEST_F(ConversionReviewTest, RefusesWrongAnswers) {
  const std::string good = R"({"name":"a","namespace":"n","uid":"u"})";
  const std::string about = "conversion webhook for example.com/v1, Kind=Ship ";
  const struct {
    const char* name;
    std::string answer;
    std::string why;
  } cases[] = {
      {"nothing", "", "failed: "},
      {"another kind", R"({"kind":"Status","apiVersion":"v1"})",
       "failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got "
       "v1, Kind=Status"},
      {"no response", R"({"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"})",
       "failed: no response provided"},
      {"another question", answer(object(good), "other"),
       R"(failed: expected response.uid="q", got "other")"},
      {"failure", answer("[]", "q", R"({"status":"Failure","message":"too old"})"),
       "failed: too old"},
      {"silent failure", answer("[]", "q", R"({"status":"Failure"})"),
       "failed: response.result.status was 'Failure', not 'Success'"},
      {"status of another type", answer("[]", "q", R"({"status":7})"),
       "failed: the response cannot be read"},
      {"none", answer("[]"), "returned 0 objects, expected 1"},
      {"no list", answer("7"), "returned 0 objects, expected 1"},
      {"no object", answer("[7]"), "returned invalid object at index 0: invalid type, got int64"},
      {"null", answer("[null]"), "returned invalid object at index 0: invalid type, got <nil>"},
      {"same version", answer(R"([{"kind":"Ship","apiVersion":"example.com/v1"}])"),
       "returned invalid object at index 0: invalid groupVersion (expected example.com/v2, "
       "received example.com/v1)"},
      {"kind", answer(R"([{"kind":"Boat","apiVersion":"example.com/v2"}])"),
       "returned invalid object at index 0: invalid kind (expected Ship, received Boat)"},
      {"name", answer(object(R"({"name":"b","namespace":"n","uid":"u"})")),
       "returned invalid object: must have the same name: a != b"},
      {"uid", answer(object(R"({"name":"a","namespace":"n"})")),
       "returned invalid object: must have the same UID: u != "},
      {"labels", answer(object(R"({"name":"a","namespace":"n","uid":"u","labels":[]})")),
       "returned invalid metadata: invalid metadata.labels of type []interface {} in converted "
       "object"},
      {"a label", answer(object(R"({"name":"a","namespace":"n","uid":"u","labels":{"x":1}})")),
       "returned invalid metadata: metadata.labels[x] must be a string, but is int64 in converted "
       "object"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string why = read(c.answer);
    EXPECT_TRUE(why.starts_with(about + c.why)) << why;
  }
  const std::string label =
      read(answer(object(R"({"name":"a","namespace":"n","uid":"u","labels":{"":"1"}})")));
  EXPECT_TRUE(label.starts_with(about + "returned invalid metadata: [metadata.labels: Invalid"))
      << label;
}

TEST_F(ConversionReviewTest, ShortensWhatTheWebhookSays) {
  std::string much;
  while (much.size() < 5'000'000) much += "\u00e9";
  const std::string failed =
      read(answer("[]", "q", R"({"status":"Failure","message":")" + much + R"("})"));
  EXPECT_LE(failed.size(), 16U * 1024 + 3);
  EXPECT_GE(failed.size(), 16U * 1024);
  EXPECT_TRUE(failed.ends_with("\u00e9...")) << failed.substr(failed.size() - 10);
  const std::string returned =
      read(answer(R"([{"kind":")" + much + R"(","apiVersion":"example.com/v2"}])"));
  EXPECT_LE(returned.size(), 16U * 1024 + 3);
}

TEST_F(ConversionReviewTest, OldReviewsNeedNotRepeatTheQuestion) {
  version_ = "v1beta1";
  EXPECT_EQ(read(R"({"response":{"result":{"status":"Success"},"convertedObjects":)" +
                 object(R"({"name":"a","namespace":"n","uid":"u"})") + "}}"),
            R"({"kind":"Ship","apiVersion":"example.com/v2","metadata":{"name":"a",)"
            R"("namespace":"n","uid":"u","generation":3},"spec":{"hands":2}})");
}

}  // namespace
}  // namespace proa::apiserver
