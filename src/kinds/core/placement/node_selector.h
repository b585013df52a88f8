#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "api/object/view.h"
#include "api/selector/label_selector.h"

// Matches nodes against a core/v1 NodeSelector, of a pod's affinity or of a volume.

namespace proa::kinds::pods {

// All requirements must hold. Immutable.
class NodeSelectorTerm {
 public:
  // core/v1 NodeSelectorTerm. An empty or invalid term matches no node.
  explicit NodeSelectorTerm(api::View term);

  bool matches(const api::Metadata& node) const;
  // The term is valid and not empty.
  bool selects() const { return selects_; }
  // The only node that can match, by name, if the term names one (metadata.name In [one name]).
  std::optional<std::string> only_name() const;
  // Requires two different names, so no node matches.
  bool contradicts_itself() const {
    const NameRequirement* first = nullptr;
    for (const NameRequirement& one : names_) {
      if (!one.wanted) continue;
      if (first != nullptr && first->name != one.name) return true;
      first = &one;
    }
    return false;
  }

 private:
  struct NameRequirement {
    std::string name;
    bool wanted;  // else: unwanted
  };

  bool read(api::View term);

  std::vector<api::LabelSelector::Requirement> labels_;
  std::vector<NameRequirement> names_;
  bool selects_ = false;
};

// Any of the terms must match. Immutable.
class NodeSelector {
 public:
  explicit NodeSelector(api::View selector);

  bool matches(const api::Metadata& node) const;
  const std::vector<NodeSelectorTerm>& terms() const { return terms_; }

 private:
  std::vector<NodeSelectorTerm> terms_;
};

}  // namespace proa::kinds::pods
