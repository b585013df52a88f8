#include "kinds/core/pods/warnings.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "api/quantity.h"
#include "api/validation/go_text.h"
#include "base/net/ip_address.h"
#include "kinds/checks/fields.h"
#include "kinds/core/placement/node_labels.h"
#include "kinds/core/pods/spec/annotations.h"
#include "kinds/core/pods/volumes/overlaps.h"
#include "kinds/core/volumes/persistent_volume_claim.h"

namespace proa::kinds::pods {

namespace warnings {

constexpr std::string_view kContainerLists[] = {"initContainers", "containers",
                                                "ephemeralContainers"};
constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void add(const Path& path, std::string_view what, Warnings& list) {
  list.push_back(fmt::format("{}: {}", path.str(), what));
}

void warn_about_nodes(View spec, const Path& path, Warnings& list) {
  const Path selector = path.field("nodeSelector");
  for (const json::Member& label : spec["nodeSelector"].members()) {
    if (const auto advice = deprecated_node_label(label.key); !advice.empty())
      add(selector.key(label.key), advice, list);
  }
  const View node = spec["affinity"]["nodeAffinity"];
  const Path node_path = path.field("affinity.nodeAffinity");
  const Path required = node_path.field(kRequired);
  each(node[kRequired]["nodeSelectorTerms"], required.field("nodeSelectorTerms"),
       [&](View term, const Path& at) { warn_about_node_labels(term, at, list); });
  each(node[kPreferred], node_path.field(kPreferred), [&](View term, const Path& at) {
    const Path preference = at.field("preference");
    warn_about_node_labels(term["preference"], preference, list);
    each(term["preference"]["matchExpressions"], preference.field("matchExpressions"),
         [&](View expression, const Path& item) {
           each(expression["values"], item.field("values"), [&](View value, const Path& place) {
             for (const std::string& problem : api::check_label_value(value.text()))
               add(place, fmt::format("{} is invalid, {}", value.text(), problem), list);
           });
         });
  });
}

void warn_about_selectors(View spec, const Path& path, Warnings& list) {
  constexpr std::string_view kNull = "a null labelSelector results in matching no pod";
  each(spec["topologySpreadConstraints"], path.field("topologySpreadConstraints"),
       [&](View constraint, const Path& at) {
         const std::string_view key = constraint["topologyKey"].text();
         if (const auto advice = deprecated_node_label(key); !advice.empty())
           add(at.field("topologyKey"), fmt::format("{} is {}", key, advice), list);
         if (!constraint["labelSelector"].exists()) add(at.field("labelSelector"), kNull, list);
       });
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    const View terms = spec["affinity"][kind];
    const Path affinity = path.field("affinity");
    const Path kind_path = affinity.field(kind);
    each(terms[kRequired], kind_path.field(kRequired), [&](View term, const Path& at) {
      if (!term["labelSelector"].exists()) add(at.field("labelSelector"), kNull, list);
    });
    each(terms[kPreferred], kind_path.field(kPreferred), [&](View term, const Path& at) {
      if (!term["podAffinityTerm"]["labelSelector"].exists())
        add(at.field("podAffinityTerm.labelSelector"), kNull, list);
    });
  }
}

struct Advice {
  std::string_view name;
  std::string_view text;
};

constexpr Advice kAnnotations[] = {
    {"scheduler.alpha.kubernetes.io/critical-pod",
     "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
    {"security.alpha.kubernetes.io/sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"},
    {"security.alpha.kubernetes.io/unsafe-sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"},
};

constexpr Advice kVolumes[] = {
    {"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
    {"gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
    {"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
    {"flocker", "deprecated in v1.22, non-functional in v1.25+"},
    {"storageos", "deprecated in v1.22, non-functional in v1.25+"},
    {"quobyte", "deprecated in v1.22, non-functional in v1.25+"},
    {"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
    {"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
    {"rbd", "deprecated in v1.28, non-functional in v1.31+"},
};

void warn_about_volumes(View volumes, const Path& path, Warnings& list) {
  each(volumes, path, [&](View volume, const Path& at) {
    for (const Advice& advice : kVolumes)
      if (volume[advice.name].exists()) add(at.field(advice.name), advice.text, list);
    const View claim = volume["ephemeral"]["volumeClaimTemplate"];
    if (claim.exists()) {
      warn_about_claim_spec(claim["spec"], at.field("ephemeral.volumeClaimTemplate.spec"), list);
    }
  });
  warn_about_overlaps(volumes, list);
}

void warn_about_duplicates(View items, std::string_view field, const Path& path, Warnings& list) {
  std::set<std::string_view> seen;
  each(items, path, [&](View item, const Path& at) {
    const std::string_view text = item[field].text();
    if (!seen.insert(text).second)
      add(at.field(field), fmt::format("duplicate {} {}", field, api::quoted(text)), list);
  });
}

void warn_about_fractions(View amounts, const Path& path, Warnings& list) {
  for (const std::string_view name : {"memory", "ephemeral-storage"}) {
    const auto amount = api::Quantity::parse(amounts[name].text("0"));
    if (!amount.ok() || amount->milli_value() % 1000 == 0) continue;
    add(path.key(name),
        fmt::format("fractional byte value {} is invalid, must be an integer",
                    api::quoted(amount->str())),
        list);
  }
}

// A variable may refer to an earlier one with the same name; otherwise it hides it.
bool hides(View variable) {
  const std::string reference = fmt::format("$({})", variable["name"].text());
  const std::string_view value = variable["value"].text();
  return variable["valueFrom"].exists() || value == reference ||
         value.find(reference) == std::string_view::npos;
}

void warn_about_variables(View variables, const Path& path, Warnings& list) {
  std::set<std::string_view> names;
  each(variables, path, [&](View variable, const Path& at) {
    const std::string_view name = variable["name"].text();
    if (names.insert(name).second || !hides(variable)) return;
    add(at,
        fmt::format("hides previous definition of {}, which may be dropped when using apply",
                    api::quoted(name)),
        list);
  });
}

// Ports of all containers of a pod, which share one network.
class Ports {
 public:
  explicit Ports(Warnings& list) : list_(list) {}

  void warn(View container, const Path& path) {
    each(container["ports"], path, [&](View port, const Path& at) {
      const std::string place = at.str();
      if (!port["hostIP"].text().empty() && port["hostPort"].integer() == 0) {
        list_.push_back(
            fmt::format("{}: hostIP set without hostPort: {}", place, port["hostIP"].text()));
      }
      compare(port, place);
    });
  }

  void warn_about_names() {
    std::map<std::string_view, std::string_view> names;
    for (const Known& port : known_) {
      const std::string_view name = port.port["name"].text();
      if (name.empty()) continue;
      const auto [other, is_new] = names.try_emplace(name, port.place);
      if (is_new) continue;
      list_.push_back(fmt::format(
          "{}: duplicate port name {} with {}, services and probes that select ports by name will "
          "use {}",
          port.place, api::quoted(name), other->second, other->second));
    }
  }

 private:
  struct Known {
    View port;
    std::string place;
  };
  // Bounds the number of warnings per port.
  static constexpr size_t kMaxCompared = 8;

  void compare(View port, const std::string& place) {
    auto& others = by_number_[{port["containerPort"].integer(), port["protocol"].text()}];
    for (const size_t index : others) {
      const Known& other = known_[index];
      if (const auto clash = clash_of(port, other.port); !clash.empty())
        list_.push_back(fmt::format("{}: {} port definition with {}", place, clash, other.place));
    }
    if (others.size() < kMaxCompared) others.push_back(known_.size());
    known_.push_back({port, place});
  }

  static std::string_view clash_of(View port, View other) {
    const int64_t number = port["hostPort"].integer();
    const int64_t other_number = other["hostPort"].integer();
    const std::string_view address = port["hostIP"].text();
    const std::string_view other_address = other["hostIP"].text();
    if (address == other_address && number == other_number) return "duplicate";
    if (number == 0 || other_number == 0) return "overlapping";
    if (number == other_number && address.empty() != other_address.empty())
      return "dangerously ambiguous";
    return {};
  }

  Warnings& list_;
  std::vector<Known> known_;
  std::map<std::pair<int64_t, std::string_view>, std::vector<size_t>> by_number_;
};

void warn_about_containers(View pod, const Path& path, const Path& spec_path, Warnings& list) {
  const View annotations = pod["metadata"]["annotations"];
  const Path annotations_path = path.field("metadata.annotations");
  Ports ports(list);
  for (const std::string_view containers : kContainerLists) {
    each(pod["spec"][containers], spec_path.field(containers), [&](View container, const Path& at) {
      const std::string key = fmt::format("{}{}", kSeccompPrefix, container["name"].text());
      if (!container["securityContext"]["seccompProfile"].exists() && annotations[key].exists()) {
        add(annotations_path.key(key),
            "non-functional in v1.27+; use the \"seccompProfile\" field instead", list);
      }
      for (const std::string_view bound : {"limits", "requests"}) {
        const Path resources = at.field("resources");
        warn_about_fractions(container["resources"][bound], resources.field(bound), list);
      }
      warn_about_variables(container["env"], at.field("env"), list);
      ports.warn(container, at.field("ports"));
    });
  }
  ports.warn_about_names();
}

void warn_about_address(View text, const Path& path, Warnings& list) {
  IpNotation notation;
  const auto address = parse_ip(text.text(), &notation);
  if (!address) return;
  const std::string canonical = address->str();
  if (notation.leading_zeros || notation.v4_in_v6) {
    add(path,
        fmt::format("non-standard IP address {} is invalid: use {}", api::quoted(text.text()),
                    api::quoted(canonical)),
        list);
  } else if (!address->is_v4() && canonical != text.text()) {
    add(path,
        fmt::format("IPv6 address {} should be in RFC 5952 canonical format ({})",
                    api::quoted(text.text()), api::quoted(canonical)),
        list);
  }
}

void warn_about_annotations(View pod, const Path& path, Warnings& list) {
  const View annotations = pod["metadata"]["annotations"];
  const Path at = path.field("metadata.annotations");
  for (const Advice& advice : kAnnotations)
    if (annotations[advice.name].exists()) add(at.key(advice.name), advice.text, list);
  if (annotations[kSeccompPodAnnotation].exists() &&
      !pod["spec"]["securityContext"]["seccompProfile"].exists()) {
    add(at.key(kSeccompPodAnnotation),
        "non-functional in v1.27+; use the \"seccompProfile\" field instead", list);
  }
}

}  // namespace warnings

void warn_about_pod(View pod, const api::Path& path, Warnings& list) {
  const View spec = pod["spec"];
  const Path spec_path = path.field("spec");
  warnings::warn_about_nodes(spec, spec_path, list);
  warnings::warn_about_selectors(spec, spec_path, list);
  warnings::warn_about_annotations(pod, path, list);
  warnings::warn_about_volumes(spec["volumes"], spec_path.field("volumes"), list);
  warnings::warn_about_duplicates(spec["hostAliases"], "ip", spec_path.field("hostAliases"), list);
  const Path secrets = spec_path.field("imagePullSecrets");
  warnings::warn_about_duplicates(spec["imagePullSecrets"], "name", secrets, list);
  each(spec["imagePullSecrets"], secrets, [&](View secret, const Path& at) {
    if (secret["name"].text().empty())
      warnings::add(at.field("name"), "invalid empty name \"\"", list);
  });
  warnings::warn_about_fractions(spec["overhead"], spec_path.field("overhead"), list);
  warnings::warn_about_containers(pod, path, spec_path, list);
  if (spec["terminationGracePeriodSeconds"].integer() < 0) {
    warnings::add(spec_path.field("terminationGracePeriodSeconds"),
                  "must be >= 0; negative values are invalid and will be treated as 1", list);
  }
  each(spec["dnsConfig"]["nameservers"], spec_path.field("dnsConfig.nameservers"),
       [&](View server, const Path& at) { warnings::warn_about_address(server, at, list); });
  each(spec["hostAliases"], spec_path.field("hostAliases"), [&](View alias, const Path& at) {
    warnings::warn_about_address(alias["ip"], at.field("ip"), list);
  });
}

void warn_about_app_armor_annotations(View pod_template, const api::Path& path, Warnings& list) {
  const View annotations = pod_template["metadata"]["annotations"];
  const View pod_profile = pod_template["spec"]["securityContext"]["appArmorProfile"];
  const Path annotations_path = path.field("metadata.annotations");
  for (const std::string_view containers : warnings::kContainerLists) {
    for (const View container : pod_template["spec"][containers].items()) {
      const std::string key = fmt::format("{}{}", kAppArmorPrefix, container["name"].text());
      if (!annotations[key].exists() || container["securityContext"]["appArmorProfile"].exists())
        continue;
      const ProfileText annotated = app_armor_from_annotation(annotations[key].text());
      const bool same = pod_profile.exists() && pod_profile["type"].text() == annotated.type &&
                        pod_profile["localhostProfile"].text() == annotated.local;
      if (!same) {
        warnings::add(annotations_path.key(key),
                      "deprecated since v1.30; use the \"appArmorProfile\" field instead", list);
      }
    }
  }
}

}  // namespace proa::kinds::pods
