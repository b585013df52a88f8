#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

// Requests of a user with a token that would cost far more than their size.
namespace proa::e2e {

inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kYaml = "application/yaml";
inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";
inline constexpr std::string_view kJsonPatch = "application/json-patch+json";
inline constexpr std::string_view kMergePatch = "application/merge-patch+json";
inline constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";

inline constexpr std::string_view kReviews =
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
inline constexpr std::string_view kPods = "/api/v1/namespaces/default/pods";
inline constexpr std::string_view kRoles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
inline constexpr std::string_view kDefinitions =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
inline constexpr std::string_view kLongRole =
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/long";

inline std::string repeated(std::string_view text, size_t times, std::string_view separator = ",") {
  std::string all;
  all.reserve(times * (text.size() + separator.size()));
  for (size_t i = 0; i < times; ++i) {
    if (i > 0) all += separator;
    all += text;
  }
  return all;
}

inline std::string role(std::string_view name, std::string_view verbs) {
  return fmt::format(
      R"({{"metadata":{{"name":"{}"}},"rules":[{{"apiGroups":[""],"resources":["x"],"verbs":[{}]}}]}})",
      name, verbs);
}

// A protobuf message of one field with these bytes.
inline std::string field(int number, std::string_view bytes) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7) out += static_cast<char>((size & 0x7F) | 0x80);
  out += static_cast<char>(size);
  out += bytes;
  return out;
}

inline std::string protobuf_pod(std::string_view spec) {
  const std::string metadata = field(1, field(1, "p"));
  return std::string("k8s\0", 4) + field(1, field(1, "v1") + field(2, "Pod")) +
         field(2, metadata + field(2, spec));
}

// What a request costs may be far more than its size.
struct CostlyRequest {
  std::string_view name;
  std::string_view method;
  std::string_view target;
  std::string_view content_type;
  std::string body;
  std::vector<int> codes;      // to expect
  std::string_view says = "";  // part of the answer
};

inline std::string merge_keys() {
  std::string text = "a0: &a0 {k0: 0}\n";
  for (int i = 1; i < 1'500; ++i)
    text += fmt::format("a{0}: &a{0} {{<<: *a{1}, k{0}: 0}}\n", i, i - 1);
  return text;
}

inline std::string aliases() {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 20; ++i)
    text += fmt::format("a{0}: &a{0} [{1}]\n", i, repeated(fmt::format("*a{}", i - 1), 9, ", "));
  return text;
}

inline std::string directives() {
  std::string text;
  for (int i = 0; i < 150'000; ++i) text += fmt::format("%TAG !a{}! !x\n", i);
  return text + "--- {kind: Pod}\n";
}

inline std::vector<CostlyRequest> long_lists() {
  return {
      {"empty requirements",
       "POST",
       kReviews,
       kJson,
       R"({"spec":{"resourceAttributes":{"labelSelector":{"requirements":[)" +
           repeated("{}", 1'000'000) + "]}}}}",
       {413},
       "more than 250000 values"},
      {"as many as are read",
       "POST",
       kReviews,
       kJson,
       R"({"spec":{"resourceAttributes":{"labelSelector":{"requirements":[)" +
           repeated("{}", 240'000) + "]}}}}",
       {413, 422}},
      {"bad requirements",
       "POST",
       kReviews,
       kJson,
       R"({"spec":{"resourceAttributes":{"labelSelector":{"requirements":[)" +
           repeated("{}", 50'000) + "]}}}}",
       {422},
       " more"},
      {"empty volumes",
       "POST",
       kPods,
       kProtobuf,
       protobuf_pod(repeated(std::string_view("\x0a\x00", 2), 1'400'000, "")),
       {413}},
      {"as many volumes as are read",
       "POST",
       kPods,
       kProtobuf,
       protobuf_pod(repeated(std::string_view("\x0a\x00", 2), 120'000, "")),
       {413, 422}},
      {"nulls",
       "POST",
       kPods,
       kJson,
       R"({"metadata":{"name":"a"},"spec":{"containers":[)" + repeated("null", 200'000) + "]}}",
       {413, 422}},
      {"bad containers",
       "POST",
       kPods,
       kJson,
       R"({"metadata":{"name":"a"},"spec":{"containers":[)" + repeated("null", 20'000) + "]}}",
       {422},
       " more"},
  };
}

inline std::vector<CostlyRequest> large_documents() {
  const std::string long_name(1'000'000, 'x');
  return {
      {"a long name in every claim",
       "POST",
       kPods,
       kJson,
       R"({"metadata":{"name":")" + long_name + R"("},"spec":{"volumes":[)" +
           repeated(R"({"name":"v","ephemeral":{"volumeClaimTemplate":{}}})", 20'000) + "]}}",
       {422}},
      {"versions",
       "POST",
       kDefinitions,
       kJson,
       R"({"metadata":{"name":"a"},"spec":{"versions":[)" + repeated("null", 8'000) + "]}}",
       {422}},
      {"more versions",
       "POST",
       kDefinitions,
       kJson,
       R"({"metadata":{"name":"a"},"spec":{"versions":[)" + repeated("null", 100'000) + "]}}",
       {413, 422}},
      {"unknown fields below a long key",
       "POST",
       "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldValidation=Strict",
       kJson,
       R"({"metadata":{"name":"a"},"spec":{"versions":[{"schema":{"openAPIV3Schema":{"properties":{")" +
           long_name + "\":{" + repeated(R"("y":1,"z":2)", 50'000) + "}}}}}]}}",
       {400}},
      {"merge keys", "POST", kPods, kYaml, merge_keys(), {400, 413}},
      {"aliases", "POST", kPods, kYaml, aliases(), {400, 413}},
      {"directives", "POST", kPods, kYaml, directives(), {400}},
      {"deep YAML",
       "POST",
       kPods,
       kYaml,
       std::string(500, '[') + repeated("a", 1'400'000) + std::string(500, ']'),
       {400, 413}},
      {"an object beyond etcd's limit",
       "POST",
       kRoles,
       kJson,
       role("large", repeated("\"" + std::string(30, 'v') + "\"", 60'000)),
       {413},
       "etcdserver: request is too large"},
      {"a list for the patches",
       "POST",
       kRoles,
       kJson,
       role("long", repeated("\"\"", 200'000)),
       {201}},
  };
}

// The last one is what the patches are applied to.
inline std::vector<CostlyRequest> creations() {
  std::vector<CostlyRequest> all = long_lists();
  std::ranges::move(large_documents(), std::back_inserter(all));
  return all;
}

inline std::vector<CostlyRequest> patches() {
  const std::string_view insertion = R"({"op":"add","path":"/rules/0/verbs/0","value":""})";
  return {
      {"insertions at the head",
       "PATCH",
       kLongRole,
       kJsonPatch,
       "[" + repeated(insertion, 9'000) + "]",
       {413},
       "steps"},
      {"too many operations",
       "PATCH",
       kLongRole,
       kJsonPatch,
       "[" + repeated(insertion, 10'001) + "]",
       {413},
       "The allowed maximum operations in a JSON patch is 10000, got 10001"},
      {"removals at the head",
       "PATCH",
       kLongRole,
       kJsonPatch,
       "[" + repeated(R"({"op":"remove","path":"/rules/0/verbs/0"})", 9'000) + "]",
       {413}},
      {"copies",
       "PATCH",
       kLongRole,
       kJsonPatch,
       "[" + repeated(R"({"op":"copy","from":"/rules/0","path":"/rules/-"})", 9'000) + "]",
       {413}},
      {"a long path",
       "PATCH",
       kLongRole,
       kJsonPatch,
       R"([{"op":"remove","path":")" + repeated("/a", 1'000'000, "") + "\"}]",
       {422}},
      {"a large merge patch",
       "PATCH",
       kLongRole,
       kMergePatch,
       R"({"metadata":{"labels":{)" + repeated(R"("a":null)", 200'000) + "}}}",
       {200}},
      {"growth by patches",
       "PATCH",
       kLongRole,
       kMergePatch,
       R"({"metadata":{"managedFields":null},"rules":[{"verbs":[)" +
           repeated("\"" + std::string(60, 'v') + "\"", 40'000) + "]}]}",
       {413, 422}},
      {"one element again and again",
       "PATCH",
       kLongRole,
       kStrategicPatch,
       R"({"metadata":{"ownerReferences":[)" +
           repeated(R"({"uid":"u","kind":null,"x":[1]})", 80'000) + "]}}",
       {400, 413, 422}},
  };
}

}  // namespace proa::e2e
