// What rules of CustomResourceDefinitions cost: compiled once, evaluated at every write. The bars
// are 2 us for a rule of typical size, and 40 us for a write that 10 rules check. In processor
// time, so that it does not matter who else uses the machine.
#include <time.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "cel/expression/rule.h"
#include "cel/validation/schema_rules.h"
#include "cel/values/typed.h"
#include "json/parse.h"

namespace {

using namespace proa;

struct Rule {
  std::string_view name;
  std::string_view source;
};

constexpr Rule kRules[] = {
    {"compare", "self.minReplicas <= self.replicas && self.replicas <= self.maxReplicas"},
    {"typical",
     "!has(self.names) || self.names.all(n, n.startsWith('app-') && n.size() <= 63) && "
     "(self.mode == 'auto' || has(self.target))"},
    {"regex", "self.host.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\\\.[a-z0-9]+)*$')"},
    {"quantity", "quantity(self.memory).isLessThan(quantity('2Gi'))"},
};

constexpr std::string_view kObject = R"({"minReplicas": 1, "replicas": 3, "maxReplicas": 9,
  "names": ["app-one", "app-two", "app-three"], "mode": "auto", "host": "www.example.com",
  "memory": "512Mi"})";
constexpr std::string_view kSchema = R"({"type": "object", "properties": {
  "minReplicas": {"type": "integer"}, "replicas": {"type": "integer"},
  "maxReplicas": {"type": "integer"}, "names": {"type": "array", "items": {"type": "string"}},
  "mode": {"type": "string"}, "host": {"type": "string"}, "memory": {"type": "string"},
  "target": {"type": "string"}}})";

double processor_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double nanoseconds_each(double start, int rounds) {
  return (processor_nanoseconds() - start) / rounds;
}

// A write of an object whose schema has 10 rules: all of kRules, and again.
double nanoseconds_of_write(const json::Value& object) {
  constexpr int kRulesOfWrite = 10;
  std::string rules;
  for (int i = 0; i < kRulesOfWrite; ++i) {
    std::string source(kRules[static_cast<size_t>(i) % std::size(kRules)].source);
    std::string escaped;
    for (const char c : source) escaped += c == '\\' ? std::string("\\\\") : std::string(1, c);
    rules += (i == 0 ? "{\"rule\": \"" : ", {\"rule\": \"") + escaped + "\"}";
  }
  std::string text(kSchema);
  text.insert(text.rfind('}'), ", \"x-kubernetes-validations\": [" + rules + "]");
  const auto schema = json::parse(text);
  const cel::SchemaRules compiled(schema->root(), 36);
  constexpr int kWrites = 20'000;
  const double start = processor_nanoseconds();
  for (int i = 0; i < kWrites; ++i) {
    api::FieldErrors errors;
    std::vector<std::string> warnings;
    if (!compiled.validate({.object = &object, .old = &object}, errors, warnings) ||
        !errors.empty()) {
      return 0;
    }
  }
  return nanoseconds_each(start, kWrites);
}

}  // namespace

int main() {
  const auto document = json::parse(kObject);
  const auto schema = json::parse(kSchema);
  const cel::Shapes shapes(schema->root(), false);
  const cel::RuleCompiler compiler(shapes.root(), 36);
  std::printf("%-10s %12s %12s %10s\n", "rule", "compile us", "evaluate ns", "bytes");
  bool met = true;
  for (const Rule& rule : kRules) {
    constexpr int kCompiles = 2000;
    constexpr int kEvaluations = 200'000;
    cel::CompiledRule compiled;
    double start = processor_nanoseconds();
    for (int i = 0; i < kCompiles; ++i) {
      compiled = compiler.compile(
          {.rule = rule.source, .message_expression = {}, .optional_old_self = false});
    }
    const double compile = nanoseconds_each(start, kCompiles) / 1000;
    if (compiled.program == nullptr) {
      std::printf("%s\n", compiled.error.c_str());
      return 1;
    }
    start = processor_nanoseconds();
    for (int i = 0; i < kEvaluations; ++i) {
      json::Arena arena;
      const cel::Value self = cel::typed_value(arena, document->root(), shapes.root());
      const cel::Value values[] = {self, self};
      if (!compiled.program->evaluate(values, arena, cel::kRuleCostLimit).value.is_true()) return 1;
    }
    const double evaluate = nanoseconds_each(start, kEvaluations);
    met = met && evaluate <= 2000;
    std::printf("%-10s %12.1f %12.0f %10zu\n", rule.name.data(), compile, evaluate,
                compiled.program->memory());
  }
  std::printf("the schema takes %zu bytes\n", shapes.memory());
  std::printf("a rule evaluates within 2 us: %s\n", met ? "yes" : "no");
  const double write = nanoseconds_of_write(document->root());
  const bool quick = write > 0 && write <= 40'000;
  std::printf("10 rules cost a write %.1f us; at most 40: %s\n", write / 1000,
              quick ? "yes" : "no");
  return met && quick ? 0 : 1;
}
