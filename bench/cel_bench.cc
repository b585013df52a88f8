// What rules of CustomResourceDefinitions cost: compiled once, evaluated at every write. The bar is
// 2 us for a rule of typical size.
#include <chrono>
#include <cstdio>
#include <string_view>

#include "cel/expression/rule.h"
#include "cel/values/typed.h"
#include "json/parse.h"

namespace {

using namespace proa;
using Clock = std::chrono::steady_clock;

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

double nanoseconds_each(Clock::time_point start, int rounds) {
  const std::chrono::duration<double, std::nano> taken = Clock::now() - start;
  return taken.count() / rounds;
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
    auto start = Clock::now();
    for (int i = 0; i < kCompiles; ++i) {
      compiled = compiler.compile(
          {.rule = rule.source, .message_expression = {}, .optional_old_self = false});
    }
    const double compile = nanoseconds_each(start, kCompiles) / 1000;
    if (compiled.program == nullptr) {
      std::printf("%s\n", compiled.error.c_str());
      return 1;
    }
    start = Clock::now();
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
  return met ? 0 : 1;
}
