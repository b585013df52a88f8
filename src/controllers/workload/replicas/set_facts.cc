#include "controllers/workload/replicas/set_facts.h"

#include "controllers/workload/objects/replica_set.h"

namespace proa::controllers::replicas {
namespace set_facts_reader {

using api::LabelSelector;

LabelSelector take(LabelSelector& selector) { return std::move(selector); }
LabelSelector take(api::MapSelector& selector) { return std::move(selector.selector); }

template <typename Kind>
SetFacts read(const api::Object& set) {
  Result<Kind> found = api::decode<Kind>(set);
  if (!found) return {.selector = LabelSelector::nothing(), .template_labels = {}};
  auto& spec = found->spec;
  return {.selector = take(spec.selector),
          .template_labels = take(spec.pod_template.metadata.labels),
          .replicas = spec.replicas,
          .min_ready_seconds = spec.min_ready_seconds};
}

}  // namespace set_facts_reader

const SetFacts& set_facts(const api::Object& set, SelectorForm form) {
  return set.kept<SetFacts>([&] {
    return form == SelectorForm::kMap ? set_facts_reader::read<objects::ReplicationController>(set)
                                      : set_facts_reader::read<objects::ReplicaSet>(set);
  });
}

}  // namespace proa::controllers::replicas
