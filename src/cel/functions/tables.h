#pragma once

#include <span>

#include "cel/types/declarations.h"

namespace proa::cel {

// The functions of each library, in the order in which overloads are tried.

// The language itself.
std::span<const FunctionRow> operator_rows();
std::span<const FunctionRow> comparison_rows();
std::span<const FunctionRow> conversion_rows();
std::span<const FunctionRow> string_rows();
std::span<const FunctionRow> time_rows();
// Optional values.
std::span<const FunctionRow> optional_rows();

// cel-go's extensions.
std::span<const FunctionRow> extension_string_rows();
std::span<const FunctionRow> quote_rows();
std::span<const FunctionRow> format_rows();
std::span<const FunctionRow> extension_list_rows();
std::span<const FunctionRow> set_rows();
std::span<const FunctionRow> map_insert_rows();

// Kubernetes' own libraries, and their types.
std::span<const FunctionRow> kubernetes_list_rows();
std::span<const FunctionRow> kubernetes_regex_rows();
std::span<const FunctionRow> kubernetes_quantity_rows();
std::span<const FunctionRow> kubernetes_network_rows();
std::span<const FunctionRow> kubernetes_semver_rows();
std::span<const FunctionRow> kubernetes_url_rows();
std::span<const FunctionRow> kubernetes_format_rows();
std::span<const FunctionRow> kubernetes_authorizer_rows();
std::span<const FunctionRow> kubernetes_selector_rows();
std::span<const FunctionRow> kubernetes_json_patch_rows();
std::span<const FunctionRow> kubernetes_includes_rows();
inline constexpr Type kIpType{.kind = TypeKind::kOpaque, .name = "net.IP"};
inline constexpr Type kCidrType{.kind = TypeKind::kOpaque, .name = "net.CIDR"};
inline constexpr Type kSemverType{.kind = TypeKind::kOpaque, .name = "kubernetes.Semver"};
inline constexpr Type kQuantityType{.kind = TypeKind::kOpaque, .name = "kubernetes.Quantity"};
inline constexpr Type kUrlType{.kind = TypeKind::kOpaque, .name = "kubernetes.URL"};
inline constexpr Type kFormatType{.kind = TypeKind::kOpaque, .name = "kubernetes.NamedFormat"};

// Values of these types for those who give expressions their variables; an error if the text is
// malformed.
Value make_semver(Context& context, std::string_view text);
Value make_quantity(Context& context, std::string_view text);

}  // namespace proa::cel
