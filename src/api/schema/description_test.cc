#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/schema/builtin.h"
#include "base/strings.h"

namespace proa::api {
namespace {

// What a file states after a word at the start of a line.
std::string_view setting(const SchemaFile& file, std::string_view word) {
  for (const std::string_view line : split(file.text, '\n')) {
    if (!line.starts_with(word)) continue;
    const std::string_view rest = trim(line.substr(word.size()));
    return rest.substr(0, rest.find(' '));
  }
  return {};
}

std::vector<std::string> file_names() {
  std::vector<std::string> names;
  for (const SchemaFile& file : builtin_schema_files()) names.emplace_back(file.name);
  return names;
}

// Types in OpenAPI that the file defines: no two files are of one version of a group.
std::vector<const Type*> published_types(std::string_view file_name) {
  std::string_view group_version;
  for (const SchemaFile& file : builtin_schema_files()) {
    if (file.name == file_name) group_version = setting(file, "group ");
  }
  std::vector<const Type*> types;
  for (const Type* type : builtin_schema().types()) {
    if (type->published && type->group_version == group_version) types.push_back(type);
  }
  return types;
}

// Names of fields, and "(itself)" for the type.
std::vector<std::string_view> without_description(const Type& type) {
  std::vector<std::string_view> missing;
  if (type.description.empty()) missing.emplace_back("(itself)");
  for (const Field& field : type.fields) {
    if (type.describe(field).empty()) missing.push_back(field.name);
  }
  return missing;
}

bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

class DescriptionTest : public testing::TestWithParam<std::string> {};

// kubectl explain and the readers of OpenAPI get nothing else to go by.
TEST_P(DescriptionTest, EveryPublishedTypeAndFieldHasOne) {
  std::string missing;
  size_t count = 0;
  for (const Type* type : published_types(GetParam())) {
    const auto fields = without_description(*type);
    count += fields.size();
    if (!fields.empty()) missing += fmt::format("  {}: {}\n", type->name, join(fields, " "));
  }
  EXPECT_EQ(count, 0) << "schema/" << GetParam()
                      << ".schema: write what an operator needs to know of\n"
                      << missing;
}

// A sentence, on one line, that JSON and terminals show as it is.
TEST_P(DescriptionTest, IsPlainText) {
  for (const Type* type : published_types(GetParam())) {
    std::vector<std::string_view> texts{type->description};
    for (const Field& field : type->fields) texts.push_back(type->describe(field));
    for (const std::string_view text : texts) {
      if (text.empty()) continue;
      EXPECT_TRUE(text.ends_with('.')) << type->name << ": " << text;
      EXPECT_LE(text.size(), 250) << type->name << ": " << text;
      EXPECT_TRUE(std::all_of(text.begin(), text.end(), is_plain)) << type->name << ": " << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BuiltinSchema, DescriptionTest, testing::ValuesIn(file_names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace proa::api
