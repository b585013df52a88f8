// Objects of the size of a request whose parts could be compared with each other: each would take
// minutes if they were. Nothing here measures time.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "json/parse.h"
#include "kinds/core/quota/usage/pod_amounts.h"
#include "kinds/core/resources/resources.h"
#include "kinds/kinds.h"

namespace proa::kinds {
namespace hostile_test {

constexpr int kMany = 30'000;

// "[..., ...]" of `item(0)`, `item(1)` and so on.
std::string list(const std::function<std::string(int)>& item, int count = kMany) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += item(i);
  }
  return text + "]";
}

std::string list(const std::string& item, int count = kMany) {
  return list([&](int) { return item; }, count);
}

// `{"PREFIX0":VALUE,...}`.
std::string map(std::string_view prefix, std::string_view value, int count = kMany) {
  std::string text = "{";
  for (int i = 0; i < count; ++i)
    text += fmt::format("{}\"{}{}\":{}", i == 0 ? "" : ",", prefix, i, value);
  return text + "}";
}

std::string numbered(std::string_view before, int number, std::string_view after) {
  return fmt::format("{}{}{}", before, number, after);
}

json::Document parsed(const std::string& text) {
  auto document = json::parse(text);
  CHECK(document.ok());
  return std::move(*document);
}

size_t bytes_of(const api::FieldErrors& errors) {
  size_t bytes = 0;
  for (const std::string& text : errors.texts()) bytes += text.size();
  return bytes;
}

// Validates as the API server does; what is reported is bounded.
size_t validated(std::string_view group_version, std::string_view kind, const std::string& text) {
  const json::Document object = parsed(text);
  const KindRules& rules = find_rules(group_version, kind);
  api::FieldErrors errors;
  if (rules.validate != nullptr) rules.validate(object.root(), errors);
  if (rules.validate_create != nullptr) rules.validate_create(object.root(), errors);
  EXPECT_LE(bytes_of(errors), 2 * api::FieldErrors::kMaxBytes);
  EXPECT_LE(errors.causes().size(), api::FieldErrors::kMaxCauses);
  return errors.size();
}

}  // namespace hostile_test
using namespace hostile_test;

TEST(HostileObjects, AreValidatedInLinearTime) {
  const auto names = [](std::string_view member) {
    return list([&](int i) { return fmt::format(R"({{"{}":"n{}"}})", member, i); });
  };
  const auto texts = [] { return list([](int i) { return numbered("\"n", i, "\""); }); };
  const struct {
    std::string_view what, group_version, kind;
    std::string object;
  } cases[] = {
      {"versions with different parts", "apiextensions.k8s.io/v1", "CustomResourceDefinition",
       R"({"spec":{"versions":)" + list([](int i) {
         return fmt::format(R"({{"name":"v{}","schema":{{"openAPIV3Schema":{{"type":"{}"}}}}}})", i,
                            i == kMany - 1 ? "string" : "object");
       }) + "}}"},
      {"stored versions", "apiextensions.k8s.io/v1", "CustomResourceDefinition",
       R"({"spec":{"versions":)" + names("name") + R"(},"status":{"storedVersions":)" + texts() +
           "}}"},
      {"list map keys", "apiextensions.k8s.io/v1", "CustomResourceDefinition",
       R"({"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object","properties":)"
       R"({"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":)" +
           texts() + R"(,"items":{"type":"object","required":)" + texts() + R"(,"properties":)" +
           map("n", R"({"type":"string"})") + "}}}}}}]}}"},
      {"equal list map keys", "apiextensions.k8s.io/v1", "CustomResourceDefinition",
       R"({"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":{"type":"object","properties":)"
       R"({"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":)" +
           list("\"n\"") + R"(,"items":{"type":"object"}}}}}}]}})"},
      {"claims and volumes", "apps/v1", "StatefulSet",
       R"({"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},)"
       R"("spec":{"volumes":)" +
           names("name") + R"(}},"volumeClaimTemplates":)" +
           list([](int i) { return numbered(R"({"metadata":{"name":"c)", i, "\"}}"); }) + "}}"},
      {"failure rules and containers", "batch/v1", "Job",
       R"({"spec":{"podFailurePolicy":{"rules":)" +
           list(
               R"({"action":"FailJob","onExitCodes":{"containerName":"x","operator":"In","values":[1]}})",
               kMany / 2) +
           R"(},"template":{"spec":{"containers":)" + names("name") + "}}}}"},
      {"scopes and resources", "v1", "ResourceQuota",
       R"({"spec":{"scopes":)" + list("\"BestEffort\"") + R"(,"hard":)" +
           map("requests.hugepages-", "\"1\"") + "}}"},
      {"scope selector", "v1", "ResourceQuota",
       R"({"spec":{"scopeSelector":{"matchExpressions":)" +
           list(R"({"scopeName":"BestEffort","operator":"Exists"})") + R"(},"hard":)" +
           map("requests.hugepages-", "\"1\"") + "}}"},
      {"sidecars", "v1", "Pod",
       R"({"spec":{"resources":{"requests":{"cpu":"1"}},"initContainers":)" + list([](int i) {
         return fmt::format(
             R"({{"restartPolicy":"Always","resources":{{"requests":{{"e.com/r{}":"1"}}}}}})", i);
       }) + "}}"},
      {"topologies", "storage.k8s.io/v1", "StorageClass",
       R"({"allowedTopologies":)" + list([](int i) {
         return fmt::format(R"({{"matchLabelExpressions":[{{"key":"k{}","values":["v"]}}]}})", i);
       }) + "}"},
      {"references to requests", "resource.k8s.io/v1", "ResourceClaim",
       R"({"spec":{"devices":{"requests":)" + names("name") + R"(,"constraints":)" +
           list(R"({"requests":)" + list("\"x\"", 32) + "}", 32) + "}}}"},
      {"binding conditions", "resource.k8s.io/v1", "ResourceSlice",
       R"({"spec":{"devices":[{"name":"d","bindingConditions":)" + list("\"a\"") +
           R"(,"bindingFailureConditions":)" + list("\"a\"") + "}]}}"},
      {"node ports", "v1", "Service", R"({"spec":{"type":"NodePort","ports":)" + list([](int i) {
                                        return fmt::format(R"({{"port":{0},"nodePort":{0}}})",
                                                           i % 9);
                                      }) + "}}"},
      {"variables", "v1", "Pod",
       R"({"spec":{"containers":[{"name":"a","env":)" + list(R"({"name":"A"})") + "}]}}"},
      {"mounts", "v1", "Pod",
       R"({"spec":{"containers":[{"name":"a","volumeMounts":)" + names("name") +
           R"(,"volumeDevices":)" + names("name") + R"(}],"volumes":)" + names("name") + "}}"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_LT(c.object.size(), size_t{4} << 20);
    validated(c.group_version, c.kind, c.object);
  }
}

TEST(HostileObjects, RepeatNoLongTextForEveryPart) {
  const std::string name(1'000'000, 'x');
  // The name of the pod is part of the name of each claim.
  EXPECT_GE(
      validated("v1", "Pod",
                R"({"metadata":{"name":")" + name + R"("},"spec":{"volumes":)" + list([](int i) {
                  return fmt::format(
                      R"({{"name":"v{}","ephemeral":{{"volumeClaimTemplate":{{}}}}}})", i);
                }) + "}}"),
      kMany);
  EXPECT_GE(validated("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy",
                      R"({"metadata":{"name":")" + name + R"("},"spec":{"auditAnnotations":)" +
                          list(R"({"key":"k"})") + "}}"),
            kMany);
  // The place of a restriction is part of the error.
  EXPECT_GE(validated("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                      R"({"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":)"
                      R"({"type":"object","properties":{")" +
                          name + R"(":{"type":"object"}},"anyOf":[{"properties":{")" + name +
                          R"(":{"properties":)" + map("p", "{}") + "}}}]}}}]}}"),
            kMany);
  // The source of a file is part of the warning.
  const json::Document pod =
      parsed(R"({"spec":{"volumes":[{"name":"v","projected":{"sources":[)"
             R"({"configMap":{"name":")" +
             name + R"(","items":)" + list(R"({"key":"k","path":"p"})") + "}}]}}]}}");
  Warnings warnings;
  find_rules("v1", "Pod").warn(pod.root(), View(), warnings);
  size_t bytes = 0;
  for (const std::string& warning : warnings.all()) bytes += warning.size();
  EXPECT_GE(bytes, Warnings::kMaxBytes);
  EXPECT_LE(bytes, 4 * name.size());
}

TEST(HostileObjects, AreUpdatedInLinearTime) {
  const struct {
    std::string_view what, group_version, kind;
    bool status;
    std::string object, old;
  } cases[] = {
      {"ingress addresses", "networking.k8s.io/v1", "Ingress", true,
       R"({"status":{"loadBalancer":{"ingress":)" + list(R"({"ip":"1.2.3.4"})") + "}}}",
       R"({"status":{"loadBalancer":{"ingress":)" + list([](int i) {
         return fmt::format(R"({{"ip":"1.2.{}.{}"}})", i / 250, i % 250);
       }) + "}}}"},
      {"drivers", "storage.k8s.io/v1", "CSINode", false,
       R"({"spec":{"drivers":)" +
           list([](int i) { return numbered(R"({"nodeID":"b","name":"n)", i, "\"}"); }) + "}}",
       R"({"spec":{"drivers":)" +
           list([](int i) { return numbered(R"({"nodeID":"a","name":"n)", i, "\"}"); }) + "}}"},
      {"statuses and claims", "v1", "Pod", true,
       R"({"spec":{},"status":{"containerStatuses":)" +
           list(R"({"name":"a","allocatedResourcesStatus":[{"name":"claim:x"}]})") + "}}",
       R"({"spec":{"containers":[{"name":"a","resources":{"claims":)" +
           list([](int i) { return numbered(R"({"name":"c)", i, "\"}"); }) + "}}]}}"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const json::Document object = parsed(c.object);
    const json::Document old = parsed(c.old);
    const KindRules& rules = find_rules(c.group_version, c.kind);
    api::FieldErrors errors;
    (c.status ? rules.validate_status_update : rules.validate_update)(object.root(), old.root(),
                                                                      errors);
    EXPECT_LE(bytes_of(errors), 2 * api::FieldErrors::kMaxBytes);
  }
}

TEST(HostileObjects, GetTheTimesOfTheirConditionsInLinearTime) {
  const auto conditions = [](std::string_view rest) {
    return R"({"status":{"conditions":)" + list([&](int i) {
             return fmt::format(R"({{"type":"T{}","status":"True"{}}})", i, rest);
           }) +
           "}}";
  };
  json::Document object = parsed(conditions(""));
  const json::Document old = parsed(conditions(R"(,"lastTransitionTime":"2020-01-01T00:00:00Z")"));
  SeededRandom random(1);
  find_rules("certificates.k8s.io/v1", "CertificateSigningRequest")
      .prepare_status_update(
          api::Edit(object), old.root(),
          {.now = Time(), .random = random, .user = {}, .uid = {}, .groups = {}});
  const View last = View(object.root())["status"]["conditions"].item(kMany - 1);
  EXPECT_EQ(last["lastTransitionTime"].text(), "2020-01-01T00:00:00Z");
}

TEST(HostileObjects, AreMeasuredInLinearTime) {
  const json::Document pod =
      parsed(R"({"spec":{"containers":)" +
             list([](int i) { return numbered(R"({"name":"c)", i, "\"}"); }) +
             R"(},"status":{"containerStatuses":)" + list([](int i) {
               return fmt::format(R"({{"name":"c{}","resources":{{"requests":{{"cpu":"1"}}}}}})",
                                  kMany - 1 - i);
             }) +
             "}}");
  const quota::PodAmounts amounts = quota::amounts_of_pod(pod.root());
  EXPECT_EQ(amounts.requests.at("cpu"), api::Quantity(kMany));
}

TEST(SumOfContainers, CountsSidecarsWithLaterContainers) {
  const struct {
    std::string_view init, sum;
  } cases[] = {
      // A sidecar runs with the containers, and with the init containers after it.
      {R"({"restartPolicy":"Always","resources":{"requests":{"cpu":"2"}}})", "3"},
      {R"({"resources":{"requests":{"cpu":"5"}}})", "5"},
      {R"({"restartPolicy":"Always","resources":{"requests":{"cpu":"2"}}},)"
       R"({"resources":{"requests":{"cpu":"5"}}})",
       "7"},
      {R"({"resources":{"requests":{"cpu":"5"}}},)"
       R"({"restartPolicy":"Always","resources":{"requests":{"cpu":"2"}}})",
       "5"},
      {R"({"restartPolicy":"Always","resources":{"requests":{"cpu":"2"}}},)"
       R"({"restartPolicy":"Always","resources":{"requests":{"cpu":"1500m"}}},)"
       R"({"resources":{"requests":{"memory":"1"}}})",
       "4500m"},
  };
  for (const auto& c : cases) {
    const json::Document spec =
        parsed(fmt::format(R"({{"containers":[{{"resources":{{"requests":{{"cpu":"1"}}}}}}],)"
                           R"("initContainers":[{}]}})",
                           c.init));
    EXPECT_EQ(pods::sum_of_containers(spec.root(), pods::Bound::kRequests).at("cpu").str(), c.sum)
        << c.init;
  }
}

namespace hostile_test {

class TextCells final : public Cells {
 public:
  void text(std::string_view text) override { all += std::string(text) + "|"; }
  void number(int64_t number) override { all += std::to_string(number) + "|"; }
  void flag(bool flag) override { all += flag ? "true|" : "false|"; }
  Time now() const override { return {}; }

  std::string all;
};

}  // namespace hostile_test

TEST(HostileObjects, AreShownWithoutCountingPairs) {
  const auto addresses = [](int count) { return list(R"({"ip":"1.1.1.1"})", count); };
  const auto shown = [](const std::string& subsets) {
    TextCells cells;
    const json::Document object =
        parsed(R"({"metadata":{"name":"e"},"subsets":[)" + subsets + "]}");
    find_rules("v1", "Endpoints").row(object.root(), cells);
    return cells.all;
  };
  EXPECT_EQ(shown(R"({"addresses":)" + addresses(2) + R"(,"ports":)" +
                  list([](int i) { return numbered("{\"port\":", i + 1, "}"); }, 2) + "}"),
            "e|1.1.1.1:1,1.1.1.1:1,1.1.1.1:2 + 1 more...|<unknown>|");
  EXPECT_EQ(shown(R"({"addresses":)" + addresses(1) + R"(,"ports":)" +
                  list([](int i) { return numbered("{\"port\":", i + 1, "}"); }, 2) + "}"),
            "e|1.1.1.1:1,1.1.1.1:2|<unknown>|");
  EXPECT_EQ(shown(R"({"addresses":)" + addresses(kMany) + R"(,"ports":)" +
                  list([](int i) { return numbered("{\"port\":", i + 1, "}"); }) + "}"),
            "e|1.1.1.1:1,1.1.1.1:1,1.1.1.1:1 + 899999997 more...|<unknown>|");
}

}  // namespace proa::kinds
