// What the schema of a custom resource costs a write of 2 kB: prune, default, validate. The bar is
// 20 us for all of it. And what a definition of 20 kB costs in memory.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "custom/schema.h"
#include "json/parse.h"
#include "json/print.h"

namespace {

using namespace proa;
using Stopwatch = std::chrono::steady_clock;

// Ten groups of fields, as operators have them: names, ports, resources, selectors.
std::string make_schema() {
  std::string groups;
  for (int i = 0; i < 20; ++i) {
    groups +=
        (i == 0 ? "\"group" : ",\"group") + std::to_string(i) +
        R"(": {"type": "object", "description": "What this group of fields means, how it is used, which defaults
      it has, and since which version: descriptions are most of a schema that tools write, and some are very long.",
      "required": ["name"], "properties": {"name": {"type": "string", "maxLength": 63,
      "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "description": "The name, which is unique among all of its kind in this place."},
      "replicas": {"type": "integer", "format": "int32", "minimum": 0, "default": 1, "description": "How many there shall be."},
      "mode": {"type": "string", "enum": ["Auto", "Manual", "Off"], "description": "Who decides."},
      "port": {"x-kubernetes-int-or-string": true, "anyOf": [{"type": "integer"}, {"type": "string"}], "description": "A port, by name or number."},
      "labels": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Labels that are added."},
      "args": {"type": "array", "items": {"type": "string"}, "description": "Arguments of the program."}}})";
  }
  std::replace(groups.begin(), groups.end(), '\n', ' ');  // JSON has no line ends in texts
  return R"({"type": "object", "properties": {"spec": {"type": "object", "properties": {)" +
         groups + "}}}}";
}

std::string make_object() {
  std::string groups;
  for (int i = 0; i < 10; ++i) {
    groups +=
        (i == 0 ? "\"group" : ",\"group") + std::to_string(i) +
        R"(": {"name": "some-name", "mode": "Auto", "port": 8080, "labels": {"app": "web", "tier": "front"},
      "args": ["--verbose", "--listen=0.0.0.0:8080", "--name=some-name"]})";
  }
  return R"({"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "x", "namespace": "default",
    "labels": {"app": "web"}}, "spec": {)" +
         groups + "}}";
}

}  // namespace

int main() {
  const std::string text = make_schema();
  custom::Patterns patterns;
  const auto schema = custom::Schema::make(json::parse(text)->root(), 36, patterns);
  const auto object = json::parse(make_object());
  constexpr int kRounds = 20'000;
  double copied = 0;
  double decoded = 0;
  double validated = 0;
  size_t wrong = 0;
  for (int i = 0; i < kRounds; ++i) {
    const auto start = Stopwatch::now();
    json::Document document = object->copy();
    const auto copy_done = Stopwatch::now();
    Budget budget;
    wrong += schema->decode(document, {.reports_unknown = true}, budget).ok() ? 0 : 1;
    const auto decode_done = Stopwatch::now();
    api::FieldErrors errors;
    std::vector<std::string> warnings;
    wrong += schema->validate({.object = &document.root()}, budget, errors, warnings).ok() &&
                     errors.empty()
                 ? 0
                 : 1;
    const auto validate_done = Stopwatch::now();
    copied += std::chrono::duration<double, std::micro>(copy_done - start).count();
    decoded += std::chrono::duration<double, std::micro>(decode_done - copy_done).count();
    validated += std::chrono::duration<double, std::micro>(validate_done - decode_done).count();
  }
  const double all = (decoded + validated) / kRounds;
  std::printf("object %zu bytes: copy %.2f us, decode %.2f us, validate %.2f us\n",
              json::print(object->root()).size(), copied / kRounds, decoded / kRounds,
              validated / kRounds);
  std::printf("schema %zu bytes: %zu bytes in memory\n", text.size(), schema->memory());
  return wrong == 0 && all < 20 ? 0 : 1;
}
