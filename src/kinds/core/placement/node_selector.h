#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/object/object.h"
#include "api/object/view.h"
#include "api/selector/label_selector.h"

// Which nodes a core/v1 NodeSelector names: of pods' affinity, and of volumes.

namespace proa::kinds::pods {

// All that it says must hold. Immutable.
class NodeSelectorTerm {
 public:
  // core/v1 NodeSelectorTerm. One that is empty, or can't be understood, selects no node.
  explicit NodeSelectorTerm(api::View term);

  bool matches(const api::Metadata& node) const;
  // It says something about nodes, and all of that was understood.
  bool selects() const { return selects_; }
  // The only nodes that it may match, by name, if it says so (metadata.name In [one name]).
  std::optional<std::string> only_name() const;
  // It wants two names at once, which no node has.
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

// Any of its terms. Immutable.
class NodeSelector {
 public:
  explicit NodeSelector(api::View selector);

  bool matches(const api::Metadata& node) const;
  const std::vector<NodeSelectorTerm>& terms() const { return terms_; }

 private:
  std::vector<NodeSelectorTerm> terms_;
};

}  // namespace proa::kinds::pods
