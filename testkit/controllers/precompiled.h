#pragma once
// Common includes of controller tests; precompiled.
#include "api/object/edit.h"
#include "api/object/view.h"
#include "json/parse.h"
#include "json/print.h"
#include "testkit/controllers/test_world.h"
#include "testkit/fake_clock.h"
