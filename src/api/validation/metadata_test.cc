#include "api/validation/metadata.h"

#include <gtest/gtest.h>

#include "base/strings.h"
#include "json/parse.h"

namespace proa::api {
namespace metadata_test {

using Texts = std::vector<std::string>;

json::Document parsed(std::string_view text) {
  auto document = json::parse(text);
  EXPECT_TRUE(document.ok()) << text;
  return document.ok() ? std::move(*document) : json::Document();
}

Texts problems_of(std::string_view metadata, const MetadataRule& rule = {}) {
  const auto document = parsed(metadata);
  FieldErrors errors;
  validate_metadata(document.root(), rule, Path("metadata"), errors);
  return errors.texts();
}

Texts problems_of_update(std::string_view metadata, std::string_view old) {
  const auto document = parsed(metadata);
  const auto before = parsed(old);
  FieldErrors errors;
  validate_metadata_update(document.root(), before.root(), Path("metadata"), errors);
  return errors.texts();
}

// Everything but the part that a case is about.
std::string with(std::string_view part) {
  return R"({"name":"a","namespace":"b",)" + std::string(part) + "}";
}

}  // namespace metadata_test
using namespace metadata_test;

TEST(Metadata, IsRefusedForWhatIsWrong) {
  const struct {
    std::string_view part;
    Texts expected;
  } cases[] = {
      {R"("generation":3)", {}},
      {R"("generation":-1)",
       {"metadata.generation: Invalid value: -1: must be greater than or equal to 0"}},
      {R"("labels":{"a":"b","example.com/c":""})", {}},
      {R"("labels":{"/a":"b"})",
       {R"(metadata.labels: Invalid value: "/a": prefix part must be non-empty)"}},
      {R"("annotations":{"A":"any text / \n","Example.com/b":""})", {}},
      {R"("annotations":{"/A":""})",
       {R"(metadata.annotations: Invalid value: "/A": prefix part must be non-empty)"}},
      {R"("ownerReferences":[{"apiVersion":"apps/v1","kind":"K","name":"n","uid":"u"}])", {}},
      {R"("ownerReferences":[{"apiVersion":"apps/"}])",
       {R"(metadata.ownerReferences.apiVersion: Invalid value: "apps/": version must not be empty)",
        R"(metadata.ownerReferences.kind: Invalid value: "": must not be empty)",
        R"(metadata.ownerReferences.name: Invalid value: "": must not be empty)",
        R"(metadata.ownerReferences.uid: Invalid value: "": must not be empty)"}},
      {R"("ownerReferences":[{"apiVersion":"v1","kind":"Event","name":"n","uid":"u"}])",
       {R"(metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"n",)"
        R"("uid":"u"}: /v1, Kind=Event is disallowed from being an owner)"}},
      {R"("ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"u","controller":true},)"
       R"({"apiVersion":"v1","kind":"K","name":"m","uid":"v","controller":true}])",
       {R"(metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"K","name":"n",)"
        R"("uid":"u","controller":true},{"apiVersion":"v1","kind":"K","name":"m","uid":"v",)"
        R"("controller":true}]: Only one reference can have Controller set to true. Found "true" in )"
        R"(references for K/n and K/m)"}},
      {R"("finalizers":["kubernetes","orphan","example.com/a"])", {}},
      {R"("finalizers":["mine"])",
       {R"(metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name )"
        R"(nor is it fully qualified)"}},
      {R"("finalizers":["/a"])",
       {R"(metadata.finalizers: Invalid value: "/a": prefix part must be non-empty)"}},
      {R"("finalizers":["orphan","foregroundDeletion"])",
       {R"(metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and )"
        R"(foregroundDeletion cannot be both set)"}},
      {R"("managedFields":[{"manager":"kubectl","operation":"Update","fieldsType":"FieldsV1"}])",
       {}},
      {R"("managedFields":[{"manager":"a\u0007","operation":"x","fieldsType":"y"}])",
       {"metadata.managedFields[0].operation: Invalid value: \"x\": must be `Apply` or `Update`",
        "metadata.managedFields[0].fieldsType: Invalid value: \"y\": must be `FieldsV1`",
        R"(metadata.managedFields[0].manager: Invalid value: "a\a": invalid character U+0007 )"
        "(at position 1)"}},
  };
  for (const auto& c : cases) EXPECT_EQ(problems_of(with(c.part)), c.expected) << c.part;
}

TEST(Metadata, NeedsNames) {
  EXPECT_EQ(problems_of("{}"),
            (Texts{"metadata.name: Required value: name or generateName is required",
                   "metadata.namespace: Required value"}));
  const MetadataRule cluster{.name = check_path_segment, .namespaced = false};
  EXPECT_EQ(problems_of(R"({"name":"system:x"})", cluster), Texts{});
  EXPECT_EQ(problems_of(R"({"name":"..","namespace":"a"})", cluster),
            (Texts{R"(metadata.name: Invalid value: "..": may not be '..')",
                   "metadata.namespace: Forbidden: not allowed on this type"}));
  EXPECT_EQ(problems_of(R"({"name":"a","generateName":"a.-","namespace":"b.c"})",
                        {.name = check_dns1123_label}),
            Texts{R"(metadata.namespace: Invalid value: "b.c": must not contain dots)"});
  EXPECT_EQ(problems_of(R"({"name":"a","generateName":"a.b.-","namespace":"b"})",
                        {.name = check_dns1123_label}),
            Texts{R"(metadata.generateName: Invalid value: "a.b.-": must not contain dots)"});
}

TEST(Metadata, OfCustomResourcesMayHaveAnyFinalizer) {
  EXPECT_EQ(problems_of(with(R"("finalizers":["mine"])"), {.qualified_finalizers = false}),
            Texts{});
}

TEST(Metadata, LimitsAnnotations) {
  const std::string value((size_t{256} << 10) - 1, 'x');
  EXPECT_EQ(problems_of(with(R"("annotations":{"a":")" + value + "\"}")), Texts{});
  EXPECT_EQ(problems_of(with(R"("annotations":{"a":")" + value + "y\"}")),
            Texts{"metadata.annotations: Too long: may not be more than 262144 bytes"});
}

TEST(Metadata, KeepsWhatIsImmutable) {
  const std::string_view old = R"({"name":"a","uid":"u","resourceVersion":"1","generation":2,)"
                               R"("creationTimestamp":"2026-01-01T00:00:00Z"})";
  EXPECT_EQ(problems_of_update(old, old), Texts{});
  EXPECT_EQ(
      problems_of_update(R"({"generation":1,"uid":"v","deletionGracePeriodSeconds":0})", old),
      (Texts{R"(metadata.resourceVersion: Invalid value: "": must be specified for an update)",
             "metadata.generation: Invalid value: 1: must not be decremented",
             R"(metadata.name: Invalid value: "": field is immutable)",
             R"(metadata.uid: Invalid value: "v": field is immutable)",
             "metadata.creationTimestamp: Invalid value: null: field is immutable",
             "metadata.deletionGracePeriodSeconds: Invalid value: 0: field is immutable"}));
}

TEST(Metadata, IsCheckedAgainWhenItIsUpdated) {
  const std::string_view old = R"({"name":"a","resourceVersion":"1"})";
  const std::string_view bad =
      R"({"name":"a","resourceVersion":"1","labels":{"/a":""},"annotations":{"/a":""},)"
      R"("ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n"}],"finalizers":["mine"]})";
  EXPECT_EQ(problems_of_update(bad, old),
            (Texts{R"(metadata.labels: Invalid value: "/a": prefix part must be non-empty)",
                   R"(metadata.annotations: Invalid value: "/a": prefix part must be non-empty)",
                   R"(metadata.ownerReferences.uid: Invalid value: "": must not be empty)"}));
}

TEST(Metadata, TakesNoNewFinalizersWhenItIsDeleted) {
  const std::string_view old =
      R"({"name":"a","resourceVersion":"1","deletionTimestamp":"2026-01-01T00:00:00Z",)"
      R"("finalizers":["a/b"]})";
  EXPECT_EQ(problems_of_update(old, old), Texts{});
  EXPECT_EQ(
      problems_of_update(
          R"({"name":"a","resourceVersion":"1","deletionTimestamp":"2026-01-01T00:00:00Z",)"
          R"("finalizers":["z/z","a/b","c/d"]})",
          old),
      Texts{R"(metadata.finalizers: Forbidden: no new finalizers can be added if the object is )"
            R"(being deleted, found new finalizers []string{"c/d", "z/z"})"});
}

TEST(Metadata, ChecksLabelSelectors) {
  const auto problems = [](std::string_view text) {
    const auto document = parsed(text);
    FieldErrors errors;
    validate_label_selector(document.root(), Path("s"), errors);
    return errors.texts();
  };
  EXPECT_EQ(
      problems(R"({"matchLabels":{"a":"b"},"matchExpressions":[)"
               R"({"key":"a","operator":"In","values":["b"]},{"key":"a","operator":"Exists"}]})"),
      Texts{});
  EXPECT_EQ(problems(R"({"matchExpressions":[{"key":"a","operator":"NotIn"},)"
                     R"({"key":"a","operator":"DoesNotExist","values":["x"]},)"
                     R"({"key":"/a","operator":"in"}]})"),
            (Texts{"s.matchExpressions[0].values: Required value: must be specified when "
                   "`operator` is 'In' or 'NotIn'",
                   "s.matchExpressions[1].values: Forbidden: may not be specified when `operator` "
                   "is 'Exists' or 'DoesNotExist'",
                   R"(s.matchExpressions[2].operator: Invalid value: "in": not a valid selector )"
                   "operator",
                   R"(s.matchExpressions[2].key: Invalid value: "/a": prefix part must be )"
                   "non-empty"}));
  const auto texts =
      problems(R"({"matchExpressions":[{"key":"a","operator":"In","values":["x","-"]}]})");
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_TRUE(texts[0].starts_with(R"(s.matchExpressions[0].values[1]: Invalid value: "-": )"));
}

TEST(Metadata, ChecksNumbersAndEnumerations) {
  const auto document = parsed(R"({"zero":0,"less":-1,"more":1,"word":"b"})");
  const View root(document.root());
  FieldErrors errors;
  const Path path("x");
  validate_non_negative(root["zero"], path, errors);
  validate_non_negative(root["absent"], path, errors);
  constexpr std::string_view kWords[] = {"b", "c"};
  validate_enum(root["word"], kWords, path, errors);
  validate_enum(root["absent"], kWords, path, errors);
  EXPECT_TRUE(errors.empty());
  validate_non_negative(root["less"], path, errors);
  constexpr std::string_view kOthers[] = {"d"};
  validate_enum(root["word"], kOthers, path, errors);
  EXPECT_EQ(errors.texts(), (Texts{"x: Invalid value: -1: must be greater than or equal to 0",
                                   R"(x: Unsupported value: "b": supported values: "d")"}));
}

TEST(Metadata, RepeatsNoLongNameForEveryOwner) {
  std::string owners = R"([{"controller":true,"name":")" + std::string(1'000'000, 'x') + "\"}";
  for (int i = 0; i < 50'000; ++i) owners += R"(,{"controller":true})";
  const auto document = parsed(R"({"name":"a","ownerReferences":)" + owners + "]}");
  FieldErrors errors;
  validate_metadata(document.root(), {.name = check_dns1123_subdomain, .namespaced = false},
                    Path("metadata"), errors);
  EXPECT_GE(errors.size(), 200'000U);
  EXPECT_LE(errors.causes().size(), 10U);
}

TEST(Metadata, LimitsFieldManagers) {
  FieldErrors errors;
  validate_field_manager(std::string(128, 'a'), Path("fieldManager"), errors);
  EXPECT_TRUE(errors.empty());
  validate_field_manager(std::string(129, 'a'), Path("fieldManager"), errors);
  EXPECT_EQ(errors.texts(), Texts{"fieldManager: Too long: may not be more than 128 bytes"});
}

}  // namespace proa::api
