// Upstream's own fixtures, where they are at hand: a folder beside the repository.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "api/codec/json/decode.h"
#include "api/codec/protobuf/envelope.h"
#include "api/codec/protobuf/to_protobuf.h"
#include "api/schema/builtin.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::api {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> golden_folder() {
  std::error_code error;
  for (fs::path at = fs::absolute(__FILE__).parent_path(); at.has_relative_path();
       at = at.parent_path()) {
    const fs::path folder = at / "shared/facts/golden";
    if (fs::is_directory(folder, error)) return folder;
  }
  return std::nullopt;
}

std::vector<fs::path> golden_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".pb") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Golden : public testing::Test {
 protected:
  void SetUp() override {
    const auto folder = golden_folder();
    if (!folder) GTEST_SKIP() << "no shared/facts/golden beside this repository";
    files_ = golden_files(*folder);
    ASSERT_GE(files_.size(), 93);
  }

  static json::Document document_of(fs::path file) {
    return *json::parse(read(file.replace_extension(".json")));
  }
  // Watch events are no kinds: their fixture has an envelope without names.
  static const Type& type_of(const json::Value& object, const fs::path& file) {
    if (file.stem() == "core.v1.WatchEvent") return *builtin_schema().find_kind("v1", "WatchEvent");
    return *builtin_schema().find_kind(object.find("apiVersion")->as_string(),
                                       object.find("kind")->as_string());
  }

  std::vector<fs::path> files_;
};

TEST_F(Golden, ProtobufBecomesTheSameJson) {
  for (const fs::path& file : files_) {
    SCOPED_TRACE(file.filename());
    const std::string bytes = read(file);
    const auto envelope = open_envelope(bytes);
    ASSERT_TRUE(envelope.ok()) << envelope.status().message();
    const json::Document expected = document_of(file);
    const auto decoded = from_protobuf(envelope->raw, type_of(expected.root(), file),
                                       builtin_schema(), envelope->meta);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    EXPECT_EQ(json::print_pretty(decoded->root()), json::print_pretty(expected.root()));
  }
}

TEST_F(Golden, JsonBecomesTheSameProtobuf) {
  for (const fs::path& file : files_) {
    SCOPED_TRACE(file.filename());
    const json::Document document = document_of(file);
    const auto encoded = to_enveloped(document.root(), type_of(document.root(), file));
    ASSERT_TRUE(encoded.ok()) << encoded.status().message();
    EXPECT_TRUE(*encoded == read(file));
  }
}

TEST_F(Golden, JsonComesBackAsItIs) {
  for (const fs::path& file : files_) {
    SCOPED_TRACE(file.filename());
    const std::string text = read(fs::path(file).replace_extension(".json"));
    const json::Document expected = document_of(file);
    const auto decoded =
        decode_json(text, type_of(expected.root(), file), FieldValidation::kStrict);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    EXPECT_EQ(json::print(decoded->document.root()), json::print(expected.root()));
  }
}

}  // namespace
}  // namespace proa::api
