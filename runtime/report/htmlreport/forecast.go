package htmlreport

import "github.com/errgen/errgen/runtime/report/predict"

// Forecast says how likely the next call of a provider is to fail with a code.
type Forecast struct {
	Provider, Code string
	// Probability is the best estimate, between Low and High; all of them are from 0 to 1.
	Probability, Low, High float64
}

// Forecasts makes forecasts of what [predict.Model.Next] says of a provider.
func Forecasts(provider string, next []predict.Forecast) []Forecast {
	list := make([]Forecast, 0, len(next))
	for _, f := range next {
		list = append(
			list, Forecast{Provider: provider, Code: f.Code, Probability: f.Probability, Low: f.Low, High: f.High})
	}
	return list
}

func forecasts(all []Forecast) []forecastRow {
	var rows []forecastRow
	for _, f := range all[:min(len(all), maxForecasts)] {
		p, low, high := unit(f.Probability), unit(f.Low), unit(f.High)
		high = max(low, high)
		rows = append(rows, forecastRow{
			Provider: name(f.Provider), Code: name(f.Code),
			Probability: percent(p), Range: percent(low) + " – " + percent(high),
			From: percentage(low), Width: percentage(high - low), Middle: percentage(p),
		})
	}
	return rows
}

// unit is a number from 0 to 1; what is none is 0.
func unit(f float64) float64 {
	if !(f > 0) {
		return 0
	}
	return min(f, 1)
}
