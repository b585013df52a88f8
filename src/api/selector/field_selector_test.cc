#include "api/selector/field_selector.h"

#include <gtest/gtest.h>

#include <array>

#include "api/schema/builtin.h"
#include "api/schema/schema.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::api {
namespace field_selector_test {

std::string text_of(const Result<FieldSelector>& selector) {
  if (selector.ok()) return selector->str();
  EXPECT_TRUE(selector.is(Reason::kBadRequest));
  return selector.status().message();
}

constexpr std::string_view kPhase[] = {"status.phase"};
constexpr std::string_view kUnschedulable[] = {"spec.unschedulable"};
constexpr std::string_view kSource[] = {"source.component", "reportingComponent"};
constexpr std::string_view kReplicas[] = {"status.replicas"};
constexpr SelectableField kFields[] = {
    {"status.phase", kPhase}, {"spec.unschedulable", kUnschedulable},
    {"source", kSource},      {"status.replicas", kReplicas},
    {"status.podIPs", {}},
};

Type make_type(std::string_view name, std::string_view openapi) {
  Type type;
  type.name = name;
  type.openapi = openapi;
  return type;
}

}  // namespace field_selector_test
using namespace field_selector_test;

TEST(FieldSelector, IsNotReadFromEndlessText) {
  std::string text = "a=b";
  while (text.size() < FieldSelector::kMaxBytes - 4) text += ",a=b";
  EXPECT_TRUE(FieldSelector::parse(text).ok());
  text += ",a=b,a=b";
  EXPECT_TRUE(FieldSelector::parse(text).is(Reason::kBadRequest));
}

TEST(FieldSelector, IsReadAndPrinted) {
  const struct {
    std::string_view text, expected;
  } cases[] = {
      {"", ""},
      {",,", ""},
      {"a=b", "a=b"},
      {"a==b", "a=b"},
      {"a!=b", "a!=b"},
      {"a=", "a="},
      {"b=1,a!=2", "a!=2,b=1"},
      {R"(a=x\,y\=z\\)", R"(a=x\,y\=z\\)"},
      {"=x", "=x"},
      {"=,!=", ""},
      {" a = b ", " a = b "},
      {"a", "invalid selector: 'a'; can't understand 'a'"},
      {"a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"},
      {"a=b=c", "invalid field selector: unescaped character in value: 61"},
      {"a===b", "invalid field selector: unescaped character in value: 61"},
      {R"(a=\x)", R"(invalid field selector: invalid escape sequence: \x)"},
      {"a=\\\u00e9", "invalid field selector: invalid escape sequence: \\\u00e9"},
      {R"(a=b\)", R"(invalid field selector: invalid escape sequence: \)"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(text_of(FieldSelector::parse(c.text)), c.expected) << c.text;
}

TEST(FieldSelector, Matches) {
  using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;
  const struct {
    std::string_view selector;
    Pairs fields;
    bool expected;
  } cases[] = {
      {"", {}, true},
      {"a=b", {{"a", "b"}}, true},
      {"a=b", {{"a", "c"}}, false},
      {"a=b", {}, false},
      {"a=", {}, true},
      {"a!=b", {}, true},
      {"a!=b", {{"a", "b"}}, false},
      {"a!=", {}, false},
      {R"(a=x\,y,b=1)", {{"a", "x,y"}, {"b", "1"}}, true},
      {R"(a=x\,y,b=1)", {{"a", "x,y"}, {"b", "2"}}, false},
  };
  for (const auto& c : cases) {
    const auto selector = FieldSelector::parse(c.selector);
    ASSERT_TRUE(selector.ok()) << c.selector;
    EXPECT_EQ(selector->matches(c.fields), c.expected) << c.selector;
  }
}

TEST(FieldSelector, KnowsTheNameThatItAsksFor) {
  EXPECT_EQ(FieldSelector::parse("metadata.name=a,x=y")->required("metadata.name"), "a");
  EXPECT_EQ(FieldSelector::parse("metadata.name!=a")->required("metadata.name"), std::nullopt);
  EXPECT_EQ(FieldSelector::parse("metadata.name=")->required("metadata.name"), "");
  EXPECT_EQ(FieldSelector().required("metadata.name"), std::nullopt);
  EXPECT_EQ(FieldSelector::by_name("a,b").str(), "metadata.name=a\\,b");
}

TEST(FieldSelector, AsksOnlyForWhatAResourceHas) {
  const Type pod = make_type("Pod", "io.k8s.api.core.v1.Pod");
  const Type job = make_type("Job", "io.k8s.api.batch.v1.Job");
  const Type slice = make_type("ResourceSlice", "io.k8s.api.resource.v1.ResourceSlice");
  const Type custom = make_type("Widget", "com.example.v1.Widget");
  const Resource pods{.version = "v1", .type = &pod, .selectable = kFields};
  const Resource cluster{.version = "v1", .type = &pod, .namespaced = false, .selectable = kFields};
  const Resource plain{.version = "v1", .type = &pod, .namespaced = false};
  const Resource jobs{.group = "batch",
                      .version = "v1",
                      .type = &job,
                      .selectable = kFields,
                      .unknown_field = UnknownFieldText::kNamesKind};
  const Resource slices{.group = "resource.k8s.io",
                        .version = "v1",
                        .type = &slice,
                        .selectable = kFields,
                        .unknown_field = UnknownFieldText::kNamesType};
  const Resource widgets{.group = "example.com", .version = "v1", .type = &custom};
  const struct {
    const Resource& resource;
    std::string_view text, expected;
  } cases[] = {
      {pods, "status.phase=Running,metadata.namespace=a",
       "metadata.namespace=a,status.phase=Running"},
      {pods, "x=y", "field label not supported: x"},
      {pods, "=x", "field label not supported: "},
      {cluster, "metadata.name=a", "metadata.name=a"},
      {cluster, "metadata.namespace=a", "field label not supported: metadata.namespace"},
      {plain, "metadata.namespace=a", "metadata.namespace=a"},
      {plain, "x=y",
       R"("x" is not a known field selector: only "metadata.name", "metadata.namespace")"},
      {jobs, "x=y", R"(field label "x" not supported for Job)"},
      {slices, "x=y", "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: x"},
      {widgets, "metadata.namespace=a", "metadata.namespace=a"},
      {widgets, "x=y", "field label not supported: x"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(text_of(FieldSelector::parse(c.text, c.resource)), c.expected) << c.text;
}

TEST(FieldSelector, KnowsWhereValuesAre) {
  const Type pod = make_type("Pod", "io.k8s.api.core.v1.Pod");
  const Resource pods{.version = "v1", .type = &pod, .selectable = kFields};
  const auto selector =
      FieldSelector::parse("metadata.name=a,metadata.namespace=b,source=c,status.phase!=d", pods);
  ASSERT_TRUE(selector.ok());
  const std::array<std::string_view, 3> values{"e", "", "c"};
  const auto value_of = [&](const FieldSelector::Term& term) -> std::string_view {
    if (term.place == FieldSelector::kName) return "a";
    if (term.place == FieldSelector::kNamespace) return "b";
    return values[term.place];
  };
  EXPECT_TRUE(selector->matches(value_of));
  EXPECT_FALSE(FieldSelector::parse("source=x", pods)->matches(value_of));
}

TEST(FieldSelector, ReadsValuesOfObjects) {
  const Type* node = builtin_schema().find_kind("v1", "Node");
  ASSERT_NE(node, nullptr);
  const Type custom = make_type("Widget", "com.example.v1.Widget");
  const Resource nodes{.version = "v1", .type = node, .selectable = kFields};
  const Resource widgets{.version = "v1", .type = &custom, .selectable = kFields};
  const auto object =
      json::parse(R"({"status":{"phase":"Running","replicas":3},"source":{"component":""},)"
                  R"("reportingComponent":"r"})");
  ASSERT_TRUE(object.ok());
  const auto value = [&](const Resource& resource, size_t index) {
    return selectable_value(object->root(), resource, kFields[index]);
  };
  EXPECT_EQ(value(nodes, 0), "Running");
  EXPECT_EQ(value(nodes, 1), "false");
  EXPECT_EQ(value(widgets, 1), "");
  EXPECT_EQ(value(nodes, 2), "r");
  EXPECT_EQ(value(nodes, 3), "3");
  EXPECT_EQ(value(nodes, 4), "");
  for (const Resource& resource : {nodes, widgets}) {
    const std::vector<std::string> values =
        selectable_values(json::print(object->root()), resource);
    ASSERT_EQ(values.size(), std::size(kFields));
    for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], value(resource, i)) << i;
  }
}

TEST(FieldSelector, ReadsValuesOfTextThatHasEscapesAndSurprises) {
  const Resource widgets{.version = "v1", .type = nullptr, .selectable = kFields};
  const auto phase = [&](std::string_view text) { return selectable_values(text, widgets)[0]; };
  EXPECT_EQ(phase(R"({"status":{"phase":"a\"b\u00e9"}})"), "a\"b\u00e9");
  EXPECT_EQ(phase(R"({"status":{"x":{"phase":"no"},"phase":"yes"}})"), "yes");
  EXPECT_EQ(phase(R"({"spec":{"status":{"phase":"no"}}})"), "");
  EXPECT_EQ(phase(R"({"status":[{"phase":"no"}]})"), "");
  EXPECT_EQ(phase(R"({"status.phase":"no","status":"phase"})"), "");
  EXPECT_EQ(phase("{}"), "");
}

}  // namespace proa::api
