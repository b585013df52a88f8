#include "scheduler/plugins/affinity/namespace_labels.h"

#include <string>

namespace proa::scheduler {
namespace namespace_labels {

bool matters(const client::Change& change) {
  return change.before == nullptr || change.after == nullptr ||
         change.before->metadata().labels != change.after->metadata().labels;
}

}  // namespace namespace_labels

NamespaceLabels::NamespaceLabels(client::Informers& informers)
    : cache_(informers.of("", "namespaces").cache()), generation_(std::make_shared<uint64_t>(0)) {
  informers.of("", "namespaces").add_handler([count = generation_](const client::Change& change) {
    if (namespace_labels::matters(change)) ++*count;
  });
}

api::ObjectPtr NamespaceLabels::find(std::string_view name) const {
  return cache_.get({.name_space = {}, .name = std::string(name)});
}

}  // namespace proa::scheduler
