#include "controllers/workload/replicas/set_facts.h"

#include "api/object/view.h"

namespace proa::controllers::replicas {
namespace set_facts_reader {

using api::LabelSelector;
using api::View;

LabelSelector selector_of(View selector, SelectorForm form) {
  if (form == SelectorForm::kMap) return LabelSelector::from_map(selector);
  Result<LabelSelector> parsed = LabelSelector::from(selector);
  return parsed ? std::move(*parsed) : LabelSelector::nothing();
}

SetFacts read(const api::Object& set, SelectorForm form) {
  const Result<json::Document> document = set.document();
  if (!document) return {.selector = LabelSelector::nothing(), .template_labels = {}};
  const View spec = View(document->root())["spec"];
  return {.selector = selector_of(spec["selector"], form),
          .template_labels = LabelSelector::from_map(spec["template"]["metadata"]["labels"]),
          .replicas = spec["replicas"].integer(1),
          .min_ready_seconds = spec["minReadySeconds"].integer()};
}

}  // namespace set_facts_reader

const SetFacts& set_facts(const api::Object& set, SelectorForm form) {
  return set.kept<SetFacts>([&] { return set_facts_reader::read(set, form); });
}

}  // namespace proa::controllers::replicas
