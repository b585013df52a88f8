#include "api/validation/configuration.h"

#include <gtest/gtest.h>

#include "json/print.h"

namespace proa::api {
namespace {

constexpr std::string_view kSchemaText = R"(
group   config.example.com/v1
package example.config.v1
openapi com.example.config.v1
use     meta_v1

kind HarbourConfiguration  json-only  unpublished  "Of a harbour."
  - berths  []Berth
  - wait    *Duration

type Berth  json-only  unpublished
  - name  string
)";
constexpr std::string_view kVersions[] = {"config.example.com/v1", "config.example.com/v1beta1"};
constexpr ConfigurationKind kHarbour{.kind = "HarbourConfiguration", .versions = kVersions};

// As JSON, or why it is refused.
std::string read(std::string_view text) {
  static const Schema kSchema = configuration_schema(kSchemaText);
  const Result<json::Document> document = read_configuration(text, kSchema, kHarbour);
  return document ? json::print(document->root()) : document.status().message();
}

TEST(ReadConfiguration, ReadsYamlAndJsonOfEachVersion) {
  EXPECT_EQ(read("kind: HarbourConfiguration\napiVersion: config.example.com/v1\n"
                 "berths: [{name: a}]\nwait: 1m\n"),
            R"({"kind":"HarbourConfiguration","apiVersion":"config.example.com/v1",)"
            R"("berths":[{"name":"a"}],"wait":"1m0s"})");
  EXPECT_EQ(read(R"( {"kind":"HarbourConfiguration","apiVersion":"config.example.com/v1beta1"})"),
            R"({"kind":"HarbourConfiguration","apiVersion":"config.example.com/v1beta1"})");
}

TEST(ReadConfiguration, RefusesOtherKindsWithoutRepeatingTheText) {
  EXPECT_EQ(read(""), "Object 'Kind' is missing");
  EXPECT_EQ(read("- secret"), "Object 'Kind' is missing");
  EXPECT_EQ(read("kind: HarbourConfiguration"), "Object 'apiVersion' is missing");
  EXPECT_EQ(read("kind: Pod\napiVersion: config.example.com/v1\n"),
            "no kind \"Pod\" is registered for version \"config.example.com/v1\"");
  EXPECT_EQ(read("kind: HarbourConfiguration\napiVersion: v1\n"),
            "no kind \"HarbourConfiguration\" is registered for version \"v1\"");
}

TEST(ReadConfiguration, IsStrict) {
  const std::string head = "kind: HarbourConfiguration\napiVersion: config.example.com/v1\n";
  EXPECT_EQ(read(head + "berths: [{nam: a}]\n"),
            "strict decoding error: unknown field \"berths[0].nam\"");
  EXPECT_EQ(read(head + "wait: 1m\nwait: 2m\n"),
            "strict decoding error: yaml: unmarshal errors:\n"
            "  line 4: key \"wait\" already set in map");
}

}  // namespace
}  // namespace proa::api
