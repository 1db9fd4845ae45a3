// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/charts/chart_data.h"

namespace vitrine::bench {

// Where values stand on an axis, and what is written beside it.
struct ValueAxis {
    struct Tick {
        double position = 0; // between `minimum` and `maximum`
        QString text;
    };
    bool isLogarithmic = false;
    double minimum = 0; // positions; of a logarithmic axis exponents of ten
    double maximum = 1;
    QList<Tick> ticks;

    // A value that a logarithmic axis cannot show stands at its beginning.
    [[nodiscard]] double positionOf(double value) const;

    // For all values and intervals of a chart: from 0 on, or in powers of ten; a ratio's baseline
    // is within.
    [[nodiscard]] static ValueAxis forValues(const ChartData& data, bool logarithmic);
    // Along the chart: numbers of groups, dates in the user's locale, percentiles.
    [[nodiscard]] static ValueAxis along(const ChartData& data);
};

} // namespace vitrine::bench
