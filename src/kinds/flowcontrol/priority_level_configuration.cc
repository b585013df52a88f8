#include "kinds/flowcontrol/priority_level_configuration.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "kinds/checks/fields.h"
#include "kinds/flowcontrol/status.h"

namespace proa::kinds {

namespace priority_level_configuration {

constexpr int64_t kMaxQueues = 10'000'000;
// Shuffle sharding uses a single hash of this many bits.
constexpr int kHashBits = 60;
constexpr std::string_view kZeroSharesAnnotation =
    "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

void validate_queuing(View queuing, const api::Path& path, api::FieldErrors& errors) {
  const int64_t length = queuing["queueLengthLimit"].integer();
  if (length <= 0) errors.invalid(path.field("queueLengthLimit"), length, "must be positive");
  const int64_t queues = queuing["queues"].integer();
  if (queues <= 0) {
    errors.invalid(path.field("queues"), queues, "must be positive");
  } else if (queues > kMaxQueues) {
    errors.invalid(path.field("queues"), queues,
                   fmt::format("must not be greater than {}", kMaxQueues));
  }
  const int64_t hand = queuing["handSize"].integer();
  const api::Path hand_path = path.field("handSize");
  if (hand <= 0) {
    errors.invalid(hand_path, hand, "must be positive");
  } else if (hand > queues) {
    errors.invalid(hand_path, hand, fmt::format("should not be greater than queues ({})", queues));
  } else if (std::ceil(std::log2(static_cast<double>(queues)) * static_cast<double>(hand)) >
             kHashBits) {
    errors.invalid(hand_path, hand,
                   fmt::format("required entropy bits of deckSize {} and handSize {} should not be "
                               "greater than {}",
                               queues, hand, kHashBits));
  }
}

void validate_response(View response, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view type = response["type"].text();
  const View queuing = response["queuing"];
  if (type == "Reject") {
    if (queuing) {
      errors.forbidden(path.field("queuing"),
                       "must be nil if limited.limitResponse.type is not Limited");
    }
  } else if (type == "Queue") {
    if (queuing) {
      validate_queuing(queuing, path.field("queuing"), errors);
    } else {
      errors.required(path.field("queuing"),
                      "must not be empty if limited.limitResponse.type is Limited");
    }
  } else {
    require_one_of(response["type"], {"Queue", "Reject"}, path.field("type"), errors);
  }
}

// Fields of both types of levels.
void validate_shares(View level, const api::Path& path, api::FieldErrors& errors) {
  const View shares = level["nominalConcurrencyShares"];
  if (shares.integer() < 0) {
    errors.invalid(path.field("nominalConcurrencyShares"), shares,
                   "must be a non-negative integer");
  }
}

void validate_lendable(View level, const api::Path& path, api::FieldErrors& errors) {
  const View percent = level["lendablePercent"];
  if (percent.integer() < 0 || percent.integer() > 100) {
    errors.invalid(path.field("lendablePercent"), percent, "must be between 0 and 100, inclusive");
  }
}

void validate_limited(View limited, const api::Path& path, api::FieldErrors& errors) {
  validate_shares(limited, path, errors);
  validate_response(limited["limitResponse"], path.field("limitResponse"), errors);
  validate_lendable(limited, path, errors);
  const View borrowing = limited["borrowingLimitPercent"];
  if (borrowing.integer() < 0) {
    errors.invalid(path.field("borrowingLimitPercent"), borrowing,
                   "if specified, must be a non-negative integer");
  }
}

void validate_spec(View spec, std::string_view name, const api::Path& path,
                   api::FieldErrors& errors) {
  const std::string_view type = spec["type"].text();
  if ((name == "exempt") != (type == "Exempt")) {
    errors.invalid(path.field("type"), type, "must be 'Exempt' if and only if `name` is 'exempt'");
  }
  const View limited = spec["limited"];
  const View exempt = spec["exempt"];
  if (type == "Exempt") {
    if (limited) errors.forbidden(path.field("limited"), "must be nil if the type is not Limited");
    const api::Path exempt_path = path.field("exempt");
    validate_shares(exempt, exempt_path, errors);
    validate_lendable(exempt, exempt_path, errors);
  } else if (type == "Limited") {
    if (exempt) errors.forbidden(path.field("exempt"), "must be nil if the type is Limited");
    if (limited) {
      validate_limited(limited, path.field("limited"), errors);
    } else {
      errors.required(path.field("limited"), "must not be empty when type is Limited");
    }
  } else {
    require_one_of(spec["type"], {"Exempt", "Limited"}, path.field("type"), errors);
  }
}

bool is_catch_all(View spec) {
  const View limited = spec["limited"];
  return spec["type"].text() == "Limited" && !spec["exempt"] &&
         limited["nominalConcurrencyShares"].integer() == 5 &&
         limited["lendablePercent"].integer() == 0 && !limited["borrowingLimitPercent"] &&
         limited["limitResponse"]["type"].text() == "Reject" &&
         !limited["limitResponse"]["queuing"];
}

void validate(View object, api::FieldErrors& errors) {
  if (object["metadata"]["annotations"][kZeroSharesAnnotation]) {
    errors.forbidden(api::Path("metadata.annotations"),
                     fmt::format("annotation '{}' is forbidden", kZeroSharesAnnotation));
  }
  const api::Path path("spec");
  const std::string_view name = object["metadata"]["name"].text();
  const View spec = object["spec"];
  validate_spec(spec, name, path, errors);
  // The mandatory levels, for requests that match no other.
  if (name == "exempt" && (spec["type"].text() != "Exempt" || spec["limited"])) {
    errors.invalid(path, spec,
                   "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value");
  } else if (name == "catch-all" && !is_catch_all(spec)) {
    errors.invalid(path, spec, "spec of 'catch-all' must equal the fixed value");
  }
  validate_flow_control_status(object, errors);
}

void validate_status_update(View object, View, api::FieldErrors& errors) {
  validate_flow_control_status(object, errors);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Type", .description = "Whether its requests are limited."},
    {.name = "NominalConcurrencyShares", .description = "Its share of the server."},
    {.name = "Queues", .description = "How many queues it has."},
    {.name = "HandSize", .description = "How many of them a flow may use."},
    {.name = "QueueLengthLimit", .description = "How many requests wait in each."},
    {.name = "Age"},
};

void number_or_none(View number, Cells& cells) {
  if (number) {
    cells.number(number.integer());
  } else {
    cells.text("<none>");
  }
}

void row(View object, Cells& cells) {
  const View limited = object["spec"]["limited"];
  const View queuing = limited["limitResponse"]["queuing"];
  cells.text(object["metadata"]["name"].text());
  cells.text(object["spec"]["type"].text());
  number_or_none(limited["nominalConcurrencyShares"], cells);
  number_or_none(queuing["queues"], cells);
  number_or_none(queuing["handSize"], cells);
  number_or_none(queuing["queueLengthLimit"], cells);
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace priority_level_configuration

KindRules priority_level_configuration_rules() {
  return {.kind = "flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration",
          .metadata = {.update = "M", .status = ""},
          .validate = priority_level_configuration::validate,
          .validate_status_update = priority_level_configuration::validate_status_update,
          .columns = priority_level_configuration::kColumns,
          .row = priority_level_configuration::row};
}

}  // namespace proa::kinds
