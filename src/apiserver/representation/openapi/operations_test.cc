#include "apiserver/representation/openapi/operations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "api/schema/builtin.h"
#include "apiserver/representation/openapi/sections.h"
#include "base/strings.h"
#include "testkit/golden.h"

namespace proa::apiserver {
namespace {

std::string names_of(std::span<const Parameter> parameters) {
  std::string text;
  for (const Parameter& parameter : parameters) {
    text += text.empty() ? "" : ",";
    text += parameter.in_path ? "{" + std::string(parameter.name) + "}" : parameter.name;
  }
  return text.empty() ? "-" : text;
}

std::string describe(const ApiOperation& operation) {
  std::string text = "  " + std::string(method_name(operation.method)) + " " + operation.id;
  if (operation.kind != nullptr) {
    text += " " + std::string(operation.action) + " " + std::string(operation.kind->group_version) +
            "/" + std::string(operation.kind->name);
  }
  text += " " + names_of(operation.parameters);
  if (operation.body != nullptr) {
    text += operation.body_required ? " needs " : " takes ";
    text += operation.body->name;
    if (operation.consumes.size() > 1) text += " in " + join(operation.consumes, " ");
  }
  text += " ->";
  for (const ApiOperation::Answer& answer : operation.answers) {
    text += " " + std::to_string(answer.code) + " " +
            std::string(answer.type == nullptr ? "text" : answer.type->name);
  }
  text += " (" + std::to_string(operation.produces.size()) + " encodings)";
  return text + "\n";
}

std::string describe(std::vector<PathItem> paths) {
  std::string text;
  for (PathItem& item : paths) {
    const std::vector<Parameter> common = item.take_common_parameters();
    text += item.path + " " + item.tag + " " + names_of(common) + "\n";
    for (const ApiOperation& operation : item.operations) text += describe(operation);
  }
  return text;
}

// "resource apps/v1 deployments", "section apis/apps"
std::string run(std::string_view command) {
  const api::Schema& schema = api::builtin_schema();
  const CommonTypes types(schema);
  const auto halves = split_once(command, ' ');
  if (halves->before == "section") {
    for (const Section& section : sections_of(schema.resources())) {
      if (section.name == halves->after) return describe(paths_of(section, types));
    }
    return "none\n";
  }
  const auto names = split_once(halves->after, ' ');
  for (const api::Resource* resource : schema.resources()) {
    if (resource->group_version() == names->before && resource->name == names->after) {
      return describe(paths_of(*resource, types));
    }
  }
  return "none\n";
}

TEST(Operations, AreThoseOfUpstream) {
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/operations.txt",
                      run);
}

// A custom resource: JSON and YAML only.
TEST(Operations, OfferNoProtobufWhereThereIsNone) {
  const api::Schema& schema = api::builtin_schema();
  const CommonTypes types(schema);
  api::Type type;
  type.name = "CronTab";
  type.openapi = "com.example.stable.v1.CronTab";
  type.group_version = "stable.example.com/v1";
  type.is_kind = true;
  type.has_proto = false;
  api::Type list = type;
  list.name = "CronTabList";
  api::Resource resource;
  resource.group = "stable.example.com";
  resource.version = "v1";
  resource.name = "crontabs";
  resource.type = &type;
  resource.list = &list;
  resource.verbs = {api::Verb::kGet, api::Verb::kList, api::Verb::kPatch};

  const std::string text = describe(paths_of(resource, types));

  EXPECT_NE(text.find("listStableExampleComV1NamespacedCronTab list stable.example.com/v1/CronTab"),
            std::string::npos);
  EXPECT_NE(text.find("needs Patch in application/json-patch+json application/merge-patch+json "
                      "application/apply-patch+yaml ->"),
            std::string::npos);
  EXPECT_NE(text.find("200 CronTab (2 encodings)"), std::string::npos);
  EXPECT_NE(text.find("200 CronTabList (3 encodings)"), std::string::npos);
}

TEST(Operations, HaveIdsOfTheirOwn) {
  const api::Schema& schema = api::builtin_schema();
  const CommonTypes types(schema);
  std::vector<std::string> ids;
  for (const Section& section : sections_of(schema.resources())) {
    for (const PathItem& item : paths_of(section, types)) {
      for (const ApiOperation& operation : item.operations) ids.push_back(operation.id);
    }
  }
  std::ranges::sort(ids);
  EXPECT_GT(ids.size(), 500U);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

}  // namespace
}  // namespace proa::apiserver
