#pragma once
// What most tests of the scheduler include; compiled once.
#include "json/parse.h"
#include "scheduler/framework/plugin.h"
#include "testkit/fake_clock.h"
#include "testkit/scheduler/builders.h"
#include "testkit/scheduler/plugins/test_bench.h"
