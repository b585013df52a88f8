#include "crd/definitions.h"

#include <fmt/format.h>

#include <array>
#include <random>

namespace proa::crd_bench {
namespace definitions {

constexpr size_t kSchemaBytes = 20'000;
constexpr const char* kDefinitionsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

constexpr std::array kWords{
    "the",     "of",       "which",   "resource",  "identifier", "defaults",  "to",      "when",
    "is",      "set",      "policy",  "region",    "network",    "interface", "for",     "each",
    "rule",    "maximum",  "number",  "seconds",   "before",     "request",   "times",   "out",
    "allowed", "values",   "are",     "enabled",   "disabled",   "list",      "names",   "attached",
    "volume",  "size",     "in",      "gigabytes", "key",        "used",      "encrypt", "data",
    "at",      "rest",     "whether", "the",       "cluster",    "should",    "be",      "public",
    "access",  "endpoint", "version", "retention", "period",     "backup",    "window",  "subnet",
    "group",   "security", "tags",    "applied",   "with",       "provider",  "must",    "conform",
};
constexpr std::array kNouns{"Policy", "Region", "Subnet", "Volume",  "Window", "Cluster",
                            "Bucket", "Target", "Route",  "Gateway", "Filter", "Record"};
constexpr std::array kFirst{"primary", "default", "source", "backup",  "access", "network",
                            "storage", "custom",  "remote", "traffic", "audit",  "health"};

// The same texts in each run and on each machine: numbers come from the engine itself.
class Texts {
 public:
  explicit Texts(size_t seed) : random_(static_cast<uint32_t>(seed * 7919 + 17)) {}
  size_t below(size_t bound) { return random_() % bound; }
  std::string sentence(size_t words) {
    std::string text;
    for (size_t i = 0; i < words; ++i) {
      if (i > 0) text += ' ';
      text += kWords[below(kWords.size())];
    }
    return text;
  }

 private:
  std::mt19937 random_;
};

std::string field_name(size_t definition, size_t field) {
  return fmt::format("{}{}{}", kFirst[(definition + field * 5) % kFirst.size()],
                     kNouns[(definition / 12 + field) % kNouns.size()], field);
}

// What a field refers to: a name, and how it is found. The same in each definition.
constexpr std::string_view kPolicy =
    R"("policy":{"description":"Policies for referencing.","properties":{"resolution":{"default":"Required","description":"Resolution specifies whether resolution of this reference is required. The default is 'Required', which means the reconcile will fail if the reference cannot be resolved.","enum":["Required","Optional"],"type":"string"},"resolve":{"description":"Resolve specifies when this reference should be resolved.","enum":["Always","IfNotPresent"],"type":"string"}},"type":"object"})";

enum class Form : uint8_t { kText, kNumber, kFlag, kTexts, kMap, kObjects, kReference, kSelector };
constexpr size_t kForms = 8;

std::string field(Texts& texts, size_t definition, size_t number) {
  std::string text = fmt::format(R"("{}":{{"description":"{}",)", field_name(definition, number),
                                 texts.sentence(8 + texts.below(12)));
  switch (static_cast<Form>(number % kForms)) {
    case Form::kText:
      return text + R"("type":"string"})";
    case Form::kNumber:
      return text + R"("type":"number"})";
    case Form::kFlag:
      return text + R"("type":"boolean"})";
    case Form::kTexts:
      return text + R"("items":{"type":"string"},"type":"array","x-kubernetes-list-type":"set"})";
    case Form::kMap:
      return text +
             R"("additionalProperties":{"type":"string"},"type":"object","x-kubernetes-map-type":"granular"})";
    case Form::kObjects:
      return text + R"("items":{"properties":{"name":{"description":")" + texts.sentence(6) +
             R"(","type":"string"},"value":{"description":")" + texts.sentence(9) +
             R"(","type":"string"},"port":{"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true}},"type":"object"},"type":"array"})";
    case Form::kReference:
      return text +
             R"("properties":{"name":{"description":"Name of the referenced object.","type":"string"},)" +
             std::string(kPolicy) + R"(},"required":["name"],"type":"object"})";
    case Form::kSelector:
      return text +
             R"("properties":{"matchControllerRef":{"description":"MatchControllerRef ensures an object with the same controller reference as the selecting object is selected.","type":"boolean"},"matchLabels":{"additionalProperties":{"type":"string"},"description":"MatchLabels ensures an object with matching labels is selected.","type":"object"},)" +
             std::string(kPolicy) + R"(},"type":"object"})";
  }
  return {};
}

// Fields until they take `bytes`.
std::string fields(Texts& texts, size_t definition, size_t bytes) {
  std::string text;
  for (size_t i = 0; text.size() < bytes; ++i) {
    if (i > 0) text += ',';
    text += field(texts, definition, i);
  }
  return text;
}

std::string schema(size_t number) {
  Texts texts(number);
  const std::string name = field_name(number, 0);
  std::string frame = fmt::format(
      R"({{"description":"{0} is the Schema for the {1} API. {2}","properties":{{)"
      R"("apiVersion":{{"description":"APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values.","type":"string"}},)"
      R"("kind":{{"description":"Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase.","type":"string"}},)"
      R"("metadata":{{"type":"object"}},)"
      R"("spec":{{"description":"{0}Spec defines the desired state of {0}","properties":{{)"
      R"("deletionPolicy":{{"default":"Delete","description":"DeletionPolicy specifies what will happen to the underlying external when this managed resource is deleted - either \"Delete\" or \"Orphan\" the external resource.","enum":["Orphan","Delete"],"type":"string"}},)"
      R"("forProvider":{{"properties":{{@}},"type":"object"}},)"
      R"("initProvider":{{"description":"InitProvider holds the same fields as ForProvider, with the exception of Identifier and other resource reference fields.","properties":{{@}},"type":"object"}},)"
      R"("managementPolicies":{{"default":["*"],"description":"ManagementPolicies specify the array of actions Crossplane is allowed to take on the managed and external resources.","items":{{"enum":["Observe","Create","Update","Delete","LateInitialize","*"],"type":"string"}},"type":"array"}},)"
      R"("providerConfigRef":{{"default":{{"name":"default"}},"description":"ProviderConfigReference specifies how the provider that will be used to create, observe, update, and delete this managed resource should be configured.","properties":{{"name":{{"description":"Name of the referenced object.","type":"string"}},{3}}},"required":["name"],"type":"object"}},)"
      R"("writeConnectionSecretToRef":{{"description":"WriteConnectionSecretToReference specifies the namespace and name of a Secret to which any connection details for this managed resource should be written.","properties":{{"name":{{"description":"Name of the secret.","type":"string"}},"namespace":{{"description":"Namespace of the secret.","type":"string"}}}},"required":["name","namespace"],"type":"object"}}}},)"
      R"json("required":["forProvider"],"type":"object","x-kubernetes-validations":[{{"message":"spec.forProvider.{4} is a required parameter","rule":"!('*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in self.managementPolicies) || has(self.forProvider.{4}) || (has(self.initProvider) && has(self.initProvider.{4}))"}}]}},)json"
      R"("status":{{"description":"{0}Status defines the observed state of {0}.","properties":{{"atProvider":{{"properties":{{@}},"type":"object"}},)"
      R"("conditions":{{"description":"Conditions of the resource.","items":{{"description":"A Condition that may apply to a resource.","properties":{{"lastTransitionTime":{{"description":"LastTransitionTime is the last time this condition transitioned from one status to another.","format":"date-time","type":"string"}},"message":{{"description":"A Message containing details about this condition's last transition from one status to another, if any.","type":"string"}},"observedGeneration":{{"format":"int64","type":"integer"}},"reason":{{"description":"A Reason for this condition's last transition from one status to another.","type":"string"}},"status":{{"description":"Status of this condition; is it currently True, False, or Unknown?","type":"string"}},"type":{{"description":"Type of this condition. At most one of each condition type may apply to a resource at any point in time.","type":"string"}}}},"required":["lastTransitionTime","reason","status","type"],"type":"object"}},"type":"array","x-kubernetes-list-map-keys":["type"],"x-kubernetes-list-type":"map"}},)"
      R"("observedGeneration":{{"format":"int64","type":"integer"}}}},"type":"object"}}}},"required":["spec"],"type":"object"}})",
      kind_of(number), plural_of(number), texts.sentence(12), kPolicy, name);
  const size_t each = (kSchemaBytes - frame.size()) / 3 - 330;
  for (size_t at = frame.find('@'); at != std::string::npos; at = frame.find('@', at)) {
    const std::string more = fields(texts, number, each);
    frame.replace(at, 1, more);
    at += more.size();
  }
  return frame;
}

// Names, versions and the rest around a schema.
std::string around(std::string_view group, std::string_view plural, std::string_view kind,
                   std::string_view schema) {
  std::string singular(kind);
  for (char& c : singular) c = static_cast<char>(c | 0x20);
  return fmt::format(
      R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"{1}.{0}","annotations":{{"controller-gen.kubebuilder.io/version":"v0.18.0"}}}},)"
      R"("spec":{{"group":"{0}","names":{{"categories":["crossplane","managed","provider"],"kind":"{2}","listKind":"{2}List","plural":"{1}","singular":"{3}"}},"scope":"Namespaced",)"
      R"("versions":[{{"additionalPrinterColumns":[{{"jsonPath":".status.conditions[?(@.type=='Synced')].status","name":"SYNCED","type":"string"}},)"
      R"({{"jsonPath":".status.conditions[?(@.type=='Ready')].status","name":"READY","type":"string"}},{{"jsonPath":".metadata.creationTimestamp","name":"AGE","type":"date"}}],)"
      R"("name":"v1beta1","served":true,"storage":true,"subresources":{{"status":{{}}}},"schema":{{"openAPIV3Schema":{4}}}}}]}}}})",
      group, plural, kind, singular, schema);
}

constexpr const char* kRuledGroup = "rules.bench.example.com";

std::string_view ruled_plural(bool has_rules) { return has_rules ? "ruleds" : "plains"; }
std::string_view ruled_kind(bool has_rules) { return has_rules ? "Ruled" : "Plain"; }

}  // namespace definitions

std::string group_of(size_t number) {
  return fmt::format("service{:02}.provider.example.com", number % kGroups);
}

std::string kind_of(size_t number) {
  return fmt::format("{}{}", definitions::kNouns[number % definitions::kNouns.size()],
                     std::string(1, static_cast<char>('A' + number % 26)) + std::to_string(number));
}

std::string plural_of(size_t number) {
  std::string plural = kind_of(number) + "s";
  for (char& c : plural) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return plural;
}

std::string definition_name(size_t number) { return plural_of(number) + "." + group_of(number); }

std::string objects_path(size_t number) {
  return fmt::format("/apis/{}/v1beta1/namespaces/default/{}", group_of(number), plural_of(number));
}

std::string definition(size_t number) {
  return definitions::around(group_of(number), plural_of(number), kind_of(number),
                             definitions::schema(number));
}

load::Request create_definition(size_t number) {
  return {.method = "POST", .path = definitions::kDefinitionsPath, .body = definition(number)};
}

std::string custom_object(size_t number, std::string_view name, size_t bytes) {
  const auto field = [&](size_t i) { return definitions::field_name(number, i); };
  std::string text = fmt::format(
      R"({{"apiVersion":"{}/v1beta1","kind":"{}","metadata":{{"name":"{}","labels":{{"app":"shop","tier":"front"}}}},)"
      R"("spec":{{"deletionPolicy":"Delete","managementPolicies":["*"],"providerConfigRef":{{"name":"default"}},"forProvider":{{)"
      R"("{}":3,"{}":true,"{}":["one","two","three"],"{}":{{"env":"production","team":"shop"}},"{}":[{{"name":"http","value":"open","port":80}}],)"
      R"("{}":{{"name":"other","policy":{{"resolution":"Optional"}}}},"{}":{{"matchLabels":{{"app":"shop"}}}},)",
      group_of(number), kind_of(number), name, field(1), field(2), field(3), field(4), field(5),
      field(6), field(7));
  text += fmt::format(R"("{}":"")", field(0));
  // What the server adds: uid, times, managed fields.
  constexpr size_t kOverhead = 1'000;
  const size_t now = text.size() + 3 + kOverhead;
  if (now < bytes) text.insert(text.size() - 1, bytes - now, 'x');
  return text + "}}}";
}

load::Request create_ruled_definition(bool has_rules) {
  // As bench/cel_bench: of typical size, each kind of them twice or thrice.
  constexpr std::array<std::string_view, 4> kRules{
      R"(self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas)",
      R"(!has(self.names) || self.names.all(n, n.startsWith('app-') && n.size() <= 63) && (self.mode == 'auto' || has(self.target)))",
      R"(self.host.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]+)*$'))",
      R"(quantity(self.memory).isLessThan(quantity('2Gi')))"};
  constexpr size_t kCount = 10;
  std::string rules;
  for (size_t i = 0; i < kCount && has_rules; ++i) {
    rules += fmt::format(R"({}{{"rule":"{}","message":"rule {}"}})", i == 0 ? "" : ",",
                         kRules[i % kRules.size()], i);
  }
  if (has_rules) rules = R"("x-kubernetes-validations":[)" + rules + "],";
  const std::string schema =
      R"({"type":"object","properties":{"spec":{"type":"object",)" + rules +
      R"("properties":{"minReplicas":{"type":"integer"},"replicas":{"type":"integer"},"maxReplicas":{"type":"integer"},)"
      R"("names":{"type":"array","maxItems":10,"items":{"type":"string","maxLength":64}},"mode":{"type":"string","maxLength":20},)"
      R"("host":{"type":"string","maxLength":100},"memory":{"type":"string","maxLength":20},"target":{"type":"string"}}}}})";
  return {
      .method = "POST",
      .path = definitions::kDefinitionsPath,
      .body = definitions::around(definitions::kRuledGroup, definitions::ruled_plural(has_rules),
                                  definitions::ruled_kind(has_rules), schema)};
}

std::string ruled_path(bool has_rules) {
  return fmt::format("/apis/{}/v1beta1/namespaces/default/{}", definitions::kRuledGroup,
                     definitions::ruled_plural(has_rules));
}

std::string ruled_object(bool has_rules, std::string_view name) {
  return fmt::format(
      R"({{"apiVersion":"{}/v1beta1","kind":"{}","metadata":{{"name":"{}"}},"spec":{{"minReplicas":1,"replicas":3,"maxReplicas":9,)"
      R"("names":["app-one","app-two","app-three"],"mode":"auto","host":"www.example.com","memory":"512Mi"}}}})",
      definitions::kRuledGroup, definitions::ruled_kind(has_rules), name);
}

}  // namespace proa::crd_bench
