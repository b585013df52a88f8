#include "cel/cost/shape_size.h"

namespace proa::cel {
namespace shape_size {

// Keys of maps: upstream takes them for texts without any size.
constexpr Shape kKey{.kind = ShapeKind::kString};

const Shape* step(const Shape& shape, std::string_view name) {
  if (name == "@items" || name == "@values") return shape.element;
  if (name == "@keys") return shape.kind == ShapeKind::kMap ? &kKey : nullptr;
  const ShapeField* field = shape.escaped_field(name);
  return field == nullptr || field->shape->type == nullptr ? nullptr : field->shape;
}

}  // namespace shape_size

SizeOf sizes_of_shape(const Shape& shape) {
  return [&shape](std::span<const std::string_view> path) -> std::optional<Range> {
    if (path.empty()) return std::nullopt;
    const Shape* current = &shape;
    for (const std::string_view name : path.subspan(1)) {
      current = shape_size::step(*current, name);
      if (current == nullptr) return std::nullopt;
    }
    return Range{.min = 0, .max = current->max_elements};
  };
}

}  // namespace proa::cel
