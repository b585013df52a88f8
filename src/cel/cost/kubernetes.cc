#include <algorithm>
#include <cmath>

#include "cel/cost/call_estimate.h"
#include "cel/cost/rules.h"

namespace proa::cel {
namespace kubernetes_cost {

// An authorization check costs so much that an expression can have two of them.
constexpr uint64_t kAuthorizationCheck = 350'000;
constexpr Range kAddress{.min = 4, .max = 16};  // the bytes of an address
constexpr double kLongestFormatPattern = 128;
constexpr Range kIncludes{.min = 0, .max = 48};  // the most values that includes() looks at

constexpr std::string_view kNominal[] = {"serviceAccount",
                                         "path",
                                         "group",
                                         "resource",
                                         "subresource",
                                         "namespace",
                                         "name",
                                         "allowed",
                                         "reason",
                                         "error",
                                         "errored",
                                         "masked",
                                         "prefixLength",
                                         "family",
                                         "isUnspecified",
                                         "isLoopback",
                                         "isLinkLocalMulticast",
                                         "isLinkLocalUnicast",
                                         "isGlobalUnicast",
                                         "format.named",
                                         "sign",
                                         "asInteger",
                                         "isInteger",
                                         "asApproximateFloat",
                                         "isGreaterThan",
                                         "isLessThan",
                                         "compareTo",
                                         "add",
                                         "sub",
                                         "major",
                                         "minor",
                                         "patch",
                                         "getScheme",
                                         "getHostname",
                                         "getHost",
                                         "getPort",
                                         "getEscapedPath",
                                         "getQuery"};
constexpr std::string_view kWholeList[] = {"isSorted", "sum",     "max",
                                           "min",      "indexOf", "lastIndexOf"};
constexpr std::string_view kParsesText[] = {"cidr",       "isIP",   "isCIDR",  "quantity",
                                            "isQuantity", "semver", "isSemver"};
constexpr std::string_view kCopiesText[] = {"lowerAscii", "upperAscii", "substring", "trim"};

template <size_t kCount>
bool in(const std::string_view (&names)[kCount], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

class Estimator {
 public:
  Estimator(const EstimatedCall& call, const SizeOf& size_of) : call_(call), size_of_(size_of) {}

  std::optional<CallEstimate> run() const {
    const std::string_view name = call_.function;
    if (in(kNominal, name)) return fixed(1);
    if (name == "check") return fixed(kAuthorizationCheck);
    if (call_.overload == "dra_includes_dyn_dyn") return CallEstimate{.cost = kIncludes};
    if (name == "_==_") return equality();
    if (call_.target != nullptr) {
      if (const std::optional<CallEstimate> estimate = member(name)) return estimate;
    }
    return call_.args.empty() ? std::nullopt : with_arguments(name);
  }

 private:
  static CallEstimate fixed(uint64_t cost) { return {.cost = Range::of(cost)}; }

  Range size(const CostNode& node) const {
    if (node.size) return *node.size;
    return size_of_(node.path.names()).value_or(Range::unknown());
  }
  Range target_size() const { return size(*call_.target); }

  // The elements of the target, if it is a list.
  std::optional<CostNode> element() const {
    if (call_.target->type->parameters.empty()) return std::nullopt;
    CostNode node{.type = call_.target->type->parameters[0]};
    if (call_.target->path.empty()) return node;
    // A path of its own, as upstream's.
    for (const std::string_view name : call_.target->path.names()) node.path.append(name);
    node.path.append("@items");
    return node;
  }

  std::optional<CallEstimate> member(std::string_view name) const {
    if (in(kWholeList, name)) return whole_list();
    if (in(kCopiesText, name)) {
      return CallEstimate{.cost = target_size().scaled(kTraversalFactor),
                          .result_size = target_size()};
    }
    if (name == "replace" && call_.args.size() >= 2) return replace();
    if (name == "split") return split();
    if (name == "join") return join();
    if ((name == "find" || name == "findAll") && !call_.args.empty()) {
      const Range text = target_size().plus(Range::of(1)).scaled(kTraversalFactor);
      const Range pattern = size(call_.args[0]).scaled(kRegexFactor);
      return CallEstimate{.cost = text.times(pattern),
                          .result_size = Range{.min = 0, .max = target_size().max}};
    }
    return std::nullopt;
  }

  CallEstimate whole_list() const {
    const std::optional<CostNode> node = element();
    if (!node) return {.cost = target_size().scaled(kTraversalFactor)};
    Range each = Range::of(1);
    if (node->type->is(TypeKind::kString) || node->type->is(TypeKind::kBytes)) {
      each = each.plus(size(*node).scaled(kTraversalFactor));
    }
    return {.cost = target_size().times(each)};
  }

  // How often a text can be replaced, and how much of the original stays.
  CallEstimate replace() const {
    const Range whole = target_size();
    const Range old_text = size(call_.args[0]);
    const Range new_text = size(call_.args[1]);
    const auto pieces = [](uint64_t of, uint64_t by) {
      const double count = std::ceil(static_cast<double>(of) / static_cast<double>(by));
      return count >= 18446744073709551616.0 ? UINT64_MAX : static_cast<uint64_t>(count);
    };
    Range count;
    Range kept;
    if (old_text.min == 0) {
      count.max = whole.max == UINT64_MAX ? whole.max : whole.max + 1;
      kept.max = whole.max;
    } else if (new_text.max <= old_text.min) {
      kept.max = whole.max;
    } else {
      count.max = pieces(whole.max, old_text.min);
    }
    if (old_text.max == 0) {
      count.min = whole.min == UINT64_MAX ? whole.min : whole.min + 1;
      kept.min = whole.min;
    } else if (old_text.max <= new_text.min) {
      kept.min = whole.min;
    } else {
      count.min = pieces(whole.min, old_text.max);
    }
    return {.cost = whole.scaled(2 * kTraversalFactor),
            .result_size = count.times(new_text).plus(kept)};
  }

  CallEstimate split() const {
    uint64_t most = target_size().max;
    if (call_.args.size() > 1) {
      const Expr* limit = call_.args[1].expr;
      if (limit->is(ExprKind::kLiteral) && limit->literal.is(ValueKind::kInt)) {
        most = static_cast<uint64_t>(limit->literal.as_int());
      }
    }
    return {.cost = target_size().scaled(2 * kTraversalFactor),
            .result_size = Range{.min = 0, .max = most}};
  }

  CallEstimate join() const {
    Range result;
    const Range list = target_size();
    if (const std::optional<CostNode> node = element()) result = list.times(size(*node));
    if (!call_.args.empty()) {
      const Range gaps{.min = list.min > 0 ? list.min - 1 : 0,
                       .max = list.max > 0 ? list.max - 1 : 0};
      result = result.plus(size(call_.args[0]).times(gaps));
    }
    return {.cost = result.scaled(kTraversalFactor), .result_size = result};
  }

  std::optional<CallEstimate> with_arguments(std::string_view name) const {
    const Range text = size(call_.args[0]);
    if (in(kParsesText, name)) return CallEstimate{.cost = text.scaled(kTraversalFactor)};
    if (name == "url" || name == "jsonpatch.escapeKey") {
      return CallEstimate{.cost = text.scaled(kTraversalFactor), .result_size = text};
    }
    if (name == "ip") return CallEstimate{.cost = text.scaled(kTraversalFactor)};
    if (name == "ip.isCanonical") return CallEstimate{.cost = text.scaled(2 * kTraversalFactor)};
    if (name == "containsIP" || name == "containsCIDR") return contains(name, text);
    if (name == "validate") {
      return CallEstimate{
          .cost = text.scaled(kTraversalFactor).scaled(kLongestFormatPattern * kRegexFactor)};
    }
    if (name == "fieldSelector" || name == "labelSelector") return selector(text);
    return std::nullopt;
  }

  CallEstimate contains(std::string_view name, const Range& text) const {
    Range cost = kAddress.plus(kAddress).scaled(kTraversalFactor);
    if (name == "containsCIDR") {
      cost = cost.plus(kAddress.scaled(kTraversalFactor)).plus(Range::of(1));
    }
    if (call_.overload.ends_with("_string")) cost = cost.plus(text.scaled(kTraversalFactor));
    return {.cost = cost};
  }

  static CallEstimate selector(const Range& text) {
    // A requirement has two characters or more, and costs a struct and a list.
    const Range requirements = text.scaled(0.5).scaled(kListCost + kStructCost);
    return {.cost = Range::of(kListCost).plus(text.scaled(kTraversalFactor)).plus(requirements)};
  }

  std::optional<CallEstimate> equality() const {
    if (call_.args.size() != 2 || !same_type(*call_.args[0].type, *call_.args[1].type)) {
      return std::nullopt;
    }
    const Type& type = *call_.args[0].type;
    if (!type.is(TypeKind::kOpaque)) return std::nullopt;
    for (const std::string_view name :
         {"net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver",
          "kubernetes.authorization.Authorizer", "kubernetes.authorization.PathCheck",
          "kubernetes.authorization.GroupCheck", "kubernetes.authorization.ResourceCheck",
          "kubernetes.authorization.Decision"}) {
      if (type.name == name) return fixed(1);
    }
    constexpr uint64_t kLongestFormatName = 64;
    if (type.name == "kubernetes.NamedFormat") {
      return CallEstimate{.cost =
                              Range{.min = 1, .max = kLongestFormatName}.scaled(kTraversalFactor)};
    }
    if (type.name == "kubernetes.URL") {
      const Range url = call_.args[1].size.value_or(Range::of(1));
      return CallEstimate{.cost = Range{.min = 1, .max = url.max}.scaled(kTraversalFactor)};
    }
    return std::nullopt;
  }

  const EstimatedCall& call_;
  const SizeOf& size_of_;
};

}  // namespace kubernetes_cost

std::optional<CallEstimate> estimate_kubernetes_call(const EstimatedCall& call,
                                                     const SizeOf& size_of) {
  // An address that a CIDR has is only read.
  if (call.overload == "cidr_ip") return CallEstimate{.cost = Range::of(1)};
  return kubernetes_cost::Estimator(call, size_of).run();
}

}  // namespace proa::cel
